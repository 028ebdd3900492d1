import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Duration, Request } from '../../index.js'
import type {
  MaybePromise,
  OpenApiSecurityScheme,
  Problem,
  SecretSource,
} from '../../plugin/index.js'

/** The default of `clockTolerance`, in seconds. */
export const DEFAULT_TOLERANCE_S = 5

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

/** A secret that the issuer and the API share, for HMAC. */
export interface JwtSecret {
  /** At least 32 random bytes. A string is encoded as UTF-8. */
  readonly secret: string | Uint8Array
  /**
   * The `kid` of tokens that are signed with this secret. If omitted, the secret is tried for tokens whose `kid`
   * matches no key.
   */
  readonly kid?: string
}

/** A public key or a certificate as PEM. */
export interface JwtPem {
  /** The PEM, beginning with `-----BEGIN PUBLIC KEY-----` or `-----BEGIN CERTIFICATE-----`. */
  readonly pem: string
  /** The `kid` of tokens that this key verifies. If omitted, the key is tried for tokens whose `kid` matches no key. */
  readonly kid?: string
}

/** A public key, or a secret with `kty: 'oct'`, as a JSON Web Key (RFC 7517). */
export interface JwtJwk {
  /** The key type: `RSA`, `EC`, `OKP` or `oct`. */
  readonly kty: string
  /** The `kid` of tokens that this key verifies. If omitted, the key is tried for tokens whose `kid` matches no key. */
  readonly kid?: string
  /** The only algorithm for this key. If omitted, all algorithms that the key type allows are accepted. */
  readonly alg?: string
  readonly [member: string]: unknown
}

/** A key. A string that contains `-----BEGIN` is a PEM; any other string is a secret. */
export type JwtKey = string | Uint8Array | JwtSecret | JwtPem | JwtJwk

/** One key, or several keys during a rotation. */
export type JwtKeys = JwtKey | readonly JwtKey[]

/** The frozen claims of a verified token (RFC 7519, 4.1). */
export interface JwtClaims {
  /** The issuer. */
  readonly iss?: string
  /** The subject: the ID of the user or program. */
  readonly sub?: string
  /** The audience: the services for which the token is intended. */
  readonly aud?: string | readonly string[]
  /** The expiry of the token, in seconds since 1970. */
  readonly exp?: number
  /** The time from which the token is valid, in seconds since 1970. */
  readonly nbf?: number
  /** The time when the token was issued, in seconds since 1970. */
  readonly iat?: number
  /** The ID of the token. */
  readonly jti?: string
  // biome-ignore lint/suspicious/noExplicitAny: as in `User`, any type, until a schema describes the claims
  readonly [claim: string]: any
}

/** The fields that the guard adds to the claims if the option `user` is not set. */
export interface JwtIdentity {
  /** The claim `sub`. */
  readonly id: string
  /** The values from the option `roles`. `@Can` accepts them. */
  readonly roles: readonly string[]
  /** The values from the options `permissions` and `scope`. `@Can` accepts them. */
  readonly permissions: readonly string[]
}

/** The claims that a schema returns, or all claims if there is no schema. */
type ClaimsOf<S> = S extends StandardSchemaV1<infer _In, infer TOutput> ? TOutput : JwtClaims

/** The type of `req.user` if the option `user` is not set: the claims and the fields of {@link JwtIdentity}. */
export type JwtUser<S = undefined> = ClaimsOf<S> & JwtIdentity

/** The name of a claim, or a function that receives the issuer's original claims. */
type FromClaims<T> = string | ((claims: JwtClaims) => T)

/** The part of `fetch` that the guard uses. */
export type JwtFetch = (url: URL, init: RequestInit) => Promise<globalThis.Response>

/** Options of {@link jwt}. The keys have exactly one source: `keys`, `jwks`, or the metadata of `issuer`. */
export interface JwtOptions<
  S extends StandardSchemaV1 | undefined = undefined,
  TUser = JwtUser<S>,
> {
  /**
   * The required value of the claim `iss`. Without `keys` and `jwks`, it is also the URL from which the guard discovers
   * the keys: through `/.well-known/openid-configuration` (OpenID Connect Discovery 1.0), or, if that document does not
   * exist, through `/.well-known/oauth-authorization-server` (RFC 8414). With `keys` or `jwks`, it can be omitted, and
   * any issuer is then accepted.
   */
  readonly issuer?: string
  /**
   * The accepted audiences: the claim `aud` must contain one of them. With `false`, tokens for other services are also
   * accepted. Default: `false` with `keys`; otherwise, the option is required.
   */
  readonly audience?: string | readonly string[] | false
  /**
   * The URL of the public keys (JWK Set), if the issuer has no metadata. The URL must use `https`, or `http` on the
   * same machine.
   */
  readonly jwks?: string | URL
  /**
   * The keys themselves; several during a rotation. A token's `kid` selects among the keys that have a `kid`. A
   * function is called once for each application, at boot. Use a function if the keys are available only in the running
   * application: `({ get }) => get(Env).TOKEN_SECRET`.
   */
  readonly keys?: SecretSource<JwtKeys>
  /** The only accepted algorithms. If omitted, all algorithms that the type of each key allows are accepted. */
  readonly algorithms?: readonly JwtAlgorithm[]
  /**
   * A Standard Schema for the claims. Tokens that do not match are refused with a 401 response. The output of the
   * schema determines the type of `req.user`.
   */
  readonly claims?: S
  /**
   * Creates `req.user` from the claims for each request. If it returns `undefined` or `null`, the request is refused
   * with a 401 response. Default: the claims with `id`, `roles` and `permissions`.
   */
  readonly user?: (claims: ClaimsOf<S>, req: Request) => MaybePromise<TUser | null | undefined>
  /**
   * The claim that contains the roles, or a function that returns them: a list, or a string with names separated by
   * spaces. Default: `'roles'`.
   */
  readonly roles?: FromClaims<readonly string[] | string | undefined>
  /**
   * The claim that contains the permissions, or a function that returns them: a list, or a string with names separated
   * by spaces. Default: `'permissions'`.
   */
  readonly permissions?: FromClaims<readonly string[] | string | undefined>
  /**
   * The claim that contains the OAuth scopes, usually `'scope'` or `'scp'`, or a function that returns them. The scopes
   * become permissions. Default: none; the claim `scope` is then read only for `requiredScopes`.
   */
  readonly scope?: FromClaims<readonly string[] | string | undefined>
  /**
   * Scopes that every token must have. A request without them is refused with a 403 response, `insufficient_scope` (RFC
   * 6750, 3.1). Default: none.
   */
  readonly requiredScopes?: readonly string[]
  /**
   * The tenant to which the token belongs: the name of a claim, or a function. If omitted, the guard confirms no
   * tenant.
   */
  readonly tenant?: FromClaims<string | undefined>
  /** The case-insensitive scheme before the token in `Authorization`. Default: `'Bearer'`. */
  readonly scheme?: string
  /**
   * The value that the header `typ` of tokens must have, such as `'at+jwt'` (RFC 9068). If omitted, `typ` can be
   * missing, `JWT` or `at+jwt`.
   */
  readonly type?: string
  /** Whether tokens must have the claim `exp`. Default: `'required'`. */
  readonly expires?: 'required' | 'optional'
  /**
   * The maximum age of a token since `iat`, as seconds or a string with a unit. Tokens without `iat` are then refused.
   * If omitted, any age is accepted.
   */
  readonly maxAge?: Duration
  /** The maximum difference between the clocks of the issuer and the API: at most 10 minutes. Default: 5 seconds. */
  readonly clockTolerance?: Duration
  /**
   * The number of verified tokens to cache, so that their signatures are not verified again. With `0`, tokens are not
   * cached. Default: 10,000.
   */
  readonly cacheSize?: number
  /**
   * The URL of this API as a protected resource (RFC 9728). Challenges then contain the URL of its metadata, which
   * `jwtMetadata` serves. Default: none.
   */
  readonly resource?: string
  /**
   * The security scheme in the document. Default: HTTP authentication with `bearerFormat: 'JWT'`; for a `scheme` other
   * than `Bearer`, a key in the header `Authorization`.
   */
  readonly security?: OpenApiSecurityScheme
  /** A replacement for `fetch`, for example to use a proxy or your own certificates. Default: Node's `fetch`. */
  readonly fetch?: JwtFetch
}

/** The options of any guard, for code that needs neither the claims type nor the user type. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export type AnyJwtOptions = JwtOptions<any, any>

/** Creates the problem for an option of `jwt` with an invalid value. */
export function invalid(option: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject: `jwt: ${option}`, cause, remedy }
}
