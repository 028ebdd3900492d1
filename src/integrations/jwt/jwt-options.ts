import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Duration, Request } from '../../index.js'
import type {
  MaybePromise,
  OpenApiSecurityScheme,
  Problem,
  SecretSource,
} from '../../plugin/index.js'

/** The algorithms that the guard verifies (RFC 7518, 3.1; RFC 8037; RFC 9864 for `Ed25519`). */
export type JwtAlgorithm =
  | 'HS256'
  | 'HS384'
  | 'HS512'
  | 'RS256'
  | 'RS384'
  | 'RS512'
  | 'PS256'
  | 'PS384'
  | 'PS512'
  | 'ES256'
  | 'ES384'
  | 'ES512'
  | 'EdDSA'
  | 'Ed25519'

/** A secret that issuer and API share (HMAC). */
export interface JwtSecret {
  /** At least 32 random bytes. Text counts as UTF-8. */
  readonly secret: string | Uint8Array
  /** The `kid` of tokens of this secret. Default: the secret is tried for every token. */
  readonly kid?: string
}

/** A public key or a certificate as PEM. */
export interface JwtPem {
  /** The text from `-----BEGIN PUBLIC KEY-----`, or `-----BEGIN CERTIFICATE-----`. */
  readonly pem: string
  /** The `kid` of tokens of this key. Default: the key is tried for every token. */
  readonly kid?: string
}

/** A public key, or a secret with `kty: 'oct'`, as JSON Web Key (RFC 7517). */
export interface JwtJwk {
  /** The type of the key: `RSA`, `EC`, `OKP` or `oct`. */
  readonly kty: string
  /** The `kid` of tokens of this key. Default: the key is tried for every token. */
  readonly kid?: string
  /** The only algorithm of this key. Default: all that the type of the key allows. */
  readonly alg?: string
  readonly [member: string]: unknown
}

/** A key: a text is a PEM if it begins with `-----BEGIN`, else a secret. */
export type JwtKey = string | Uint8Array | JwtSecret | JwtPem | JwtJwk

/** One key, or several for a rotation. */
export type JwtKeys = JwtKey | readonly JwtKey[]

/** The claims of a verified token (RFC 7519, 4.1). They are frozen. */
export interface JwtClaims {
  /** The issuer. */
  readonly iss?: string
  /** The subject: the id of the user or of the program. */
  readonly sub?: string
  /** Whom the token is for. */
  readonly aud?: string | readonly string[]
  /** The expiry of the token, in seconds since 1970. */
  readonly exp?: number
  /** The beginning of the token, in seconds since 1970. */
  readonly nbf?: number
  /** When the token was issued, in seconds since 1970. */
  readonly iat?: number
  /** The id of the token. */
  readonly jti?: string
  // biome-ignore lint/suspicious/noExplicitAny: as the fields of `User`, until a schema describes them
  readonly [claim: string]: any
}

/** The fields that the guard adds to the claims, without the option `user`. */
export interface JwtIdentity {
  /** The claim `sub`. */
  readonly id: string
  /** Values that the option `roles` reads; `@Can` accepts them. */
  readonly roles: readonly string[]
  /** Values that the options `permissions` and `scope` read; `@Can` accepts them. */
  readonly permissions: readonly string[]
}

/** The claims that a schema returns, or all claims without a schema. */
type ClaimsOf<S> = S extends StandardSchemaV1<infer _In, infer TOutput> ? TOutput : JwtClaims

/** The type of `req.user` without a function `user`: the claims and {@link JwtIdentity}. */
export type JwtUser<S = undefined> = ClaimsOf<S> & JwtIdentity

/** The name of a claim, or a function of all claims. The function receives the original claims of the issuer. */
type FromClaims<T> = string | ((claims: JwtClaims) => T)

/** The part of `fetch` that the guard uses. */
export type JwtFetch = (url: URL, init: RequestInit) => Promise<globalThis.Response>

/**
 * Options of {@link jwt}. The keys come from one place: `keys`, `jwks`, or the metadata of `issuer`.
 */
export interface JwtOptions<
  S extends StandardSchemaV1 | undefined = undefined,
  TUser = JwtUser<S>,
> {
  /**
   * The claim `iss`, compared exactly. Without `keys` and `jwks`, it is the URL under which the guard finds the keys:
   * `/.well-known/openid-configuration` (OpenID Connect Discovery 1.0), else `/.well-known/oauth-authorization-server`
   * (RFC 8414). Default: with `keys` or `jwks`, any issuer.
   */
  readonly issuer?: string
  /**
   * The claim `aud` has one of these. `false`: tokens for other services are accepted, too. Default: with `keys`, `false`;
   * else you must choose.
   */
  readonly audience?: string | readonly string[] | false
  /** The URL of the public keys (JWK Set), if the issuer has no metadata. `https`, or `http` on the same machine. */
  readonly jwks?: string | URL
  /**
   * The keys themselves; several for a rotation. `kid` of a token chooses among keys with a `kid`. A function is called
   * once for each application, at boot, and gets its keys where only the running application has them:
   * `({ get }) => get(Env).TOKEN_SECRET`.
   */
  readonly keys?: SecretSource<JwtKeys>
  /** The only algorithms that are accepted. Default: all that the type of each key allows. */
  readonly algorithms?: readonly JwtAlgorithm[]
  /** A Standard Schema of the claims. Tokens that do not fit are refused with 401. Its output types `req.user`. */
  readonly claims?: S
  /**
   * Makes `req.user` from the claims, for each request. `undefined` and `null` refuse the request with 401. Default:
   * the claims with `id`, `roles` and `permissions`.
   */
  readonly user?: (claims: ClaimsOf<S>, req: Request) => MaybePromise<TUser | null | undefined>
  /** The roles: a list, or a text with spaces between them. Default: the claim `roles`. */
  readonly roles?: FromClaims<readonly string[] | string | undefined>
  /** The permissions: a list, or a text with spaces between them. Default: the claim `permissions`. */
  readonly permissions?: FromClaims<readonly string[] | string | undefined>
  /** The scopes of OAuth, which become permissions: usually `'scope'` or `'scp'`. Default: none. */
  readonly scope?: FromClaims<readonly string[] | string | undefined>
  /** Scopes that every token needs; 403 `insufficient_scope` without them (RFC 6750, 3.1). Default: none. */
  readonly requiredScopes?: readonly string[]
  /** The tenant that the token belongs to: the name of a claim, or a function. Default: the guard confirms no tenant. */
  readonly tenant?: FromClaims<string | undefined>
  /** The word before the token in `Authorization`; upper and lower case are equal. Default: `'Bearer'`. */
  readonly scheme?: string
  /** The header `typ` that tokens must have, such as `'at+jwt'` (RFC 9068). Default: none, `JWT` or `at+jwt`. */
  readonly type?: string
  /** Whether a token may have no `exp`. Default: `'required'`. */
  readonly expires?: 'required' | 'optional'
  /**
   * The maximum age of a token since `iat`, which it must then have. Seconds, or text with a unit. Default: any age.
   */
  readonly maxAge?: Duration
  /** How far the clocks of issuer and API may differ: at most 10 minutes. Default: 5 seconds. */
  readonly clockTolerance?: Duration
  /**
   * The number of verified tokens to store, so that their signatures are not verified again. `0`: none. Default:
   * 10,000.
   */
  readonly cacheSize?: number
  /**
   * The URL of this API as a protected resource (RFC 9728). Challenges name its metadata, which `jwtMetadata` serves.
   * Default: none.
   */
  readonly resource?: string
  /** The security scheme in the document. Default: HTTP authentication with `bearerFormat: 'JWT'`. */
  readonly security?: OpenApiSecurityScheme
  /** Replaces `fetch`, for proxies and certificates of your own. Default: `fetch` of Node. */
  readonly fetch?: JwtFetch
}

/** The options of any guard, for code that uses neither the type of the claims nor the type of the user. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export type AnyJwtOptions = JwtOptions<any, any>

/** Creates the problem for an option of `jwt` with an invalid value. */
export function invalid(option: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject: `jwt: ${option}`, cause, remedy }
}
