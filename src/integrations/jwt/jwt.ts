import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type AuthGuard, Clock, type Request, type RouteModel } from '../../index.js'
import {
  type GuardSetup,
  loadPeer,
  type OpenApiSecurityScheme,
  orStandIn,
  type PeerUse,
  type RouteContract,
  toSeconds,
} from '../../plugin/index.js'
import { Challenges } from './challenge.js'
import { checkJwtOptions } from './check-jwt-options.js'
import { type ClaimRules, readTenant, typeOf } from './claims.js'
import { readKeysAtBoot } from './given-keys.js'
import type { AnyJwtOptions, JwtClaims, JwtOptions, JwtUser } from './jwt-options.js'
import { DEFAULT_TOLERANCE_S } from './jwt-options.js'
import { jwksReader } from './read-jwks.js'
import { parseToken, readCredential } from './read-token.js'
import { RemoteKeys } from './remote-keys.js'
import { machineClock, type TimeSource, TokenVerifier } from './token-verifier.js'
import { fixedKeys, type KeySource, type VerificationKey } from './verification-key.js'

const JOSE: PeerUse = {
  subject: 'blazon/jwt',
  origin: import.meta.url,
  install: 'npm install jose@6',
}

interface GuardDeps {
  readonly clock: TimeSource
  /** `null` without an application. */
  readonly app: GuardSetup | null
}

const ALONE =
  'jwt(): `keys` is a function, and no application has prepared this guard. Pass the guard to `auth`. If a custom guard calls this guard, it must first call `forApplication` of this guard.'

/** The guard that {@link jwt} returns. Each application runs its own guard, with its own keys and verified tokens. */
export class JwtGuard<TUser = JwtUser> implements AuthGuard<TUser> {
  /** The type of `req.user`, for the compiler only. */
  declare readonly '~user'?: TUser
  /** The name of the header that contains the token. */
  readonly credentials: readonly string[] = ['authorization']
  /** The security scheme in the document. */
  readonly security: OpenApiSecurityScheme
  /** The challenge for a request without a token. */
  readonly challenge: string
  /** Returns the tenant in a request's token. The method exists only if the option `tenant` is set. */
  readonly tenantOf?: (req: Request) => string | undefined
  /** The options that were passed. */
  readonly options: AnyJwtOptions
  readonly #keys: readonly VerificationKey[]
  readonly #challenges: Challenges
  readonly #claims: WeakMap<object, JwtClaims> = new WeakMap()
  #alone: Promise<TokenVerifier> | undefined

  /**
   * Creates the guard. Prefer {@link jwt}, which also infers types.
   *
   * @throws ConfigError with all problems in the options.
   */
  constructor(options: AnyJwtOptions) {
    this.#keys = checkJwtOptions(options)
    this.options = Object.freeze({ ...options })
    this.#challenges = new Challenges(options)
    this.challenge = this.#challenges.missing
    this.security = options.security ?? securityOf(options.scheme)
    if (options.tenant !== undefined) this.tenantOf = (req) => this.#tenantOf(req)
  }

  /**
   * Verifies a request's token. Applications run the guard that `forApplication` returns. This method is meant for your
   * own guards: it runs without an application and uses the system clock.
   */
  async canActivate(req: Request): Promise<boolean> {
    this.#alone ??= this.#verifier({ clock: machineClock, app: null })
    return (await this.#alone).canActivate(req)
  }

  /**
   * Whether a request has a credential for this guard, valid or not. Other guards can read the same header, so a token
   * that does not have three parts, or that names a different issuer, does not count.
   */
  carries(req: Request): boolean {
    const token = readCredential(req, this.options.scheme ?? 'Bearer')
    if (token === null || (token !== undefined && token.split('.', 4).length !== 3)) return false
    if (token === undefined || this.options.issuer === undefined) return true
    return (parseToken(token)?.claims.iss ?? this.options.issuer) === this.options.issuer
  }

  /** Returns the scopes for the document. */
  scopes(): readonly string[] {
    return this.options.requiredScopes ?? []
  }

  /**
   * Returns the challenge for a 403 response that `@Can` causes: `insufficient_scope`, with the abilities that are
   * valid scopes (RFC 6750, 3.1).
   */
  abilityChallenge(abilities: readonly string[]): string {
    return this.#challenges.lacking(abilities)
  }

  /**
   * Returns the error responses for the document: 503 if the keys come from an issuer, and 403 if tokens need scopes.
   */
  contract(_route?: RouteModel): RouteContract {
    const scope = this.options.requiredScopes === undefined ? [] : [403]
    return { errors: this.options.keys !== undefined ? scope : [...scope, 503] }
  }

  /**
   * Creates the guard for one application, with its clock and its logger. It sends no request to the issuer before it
   * receives the first token.
   *
   * @throws ConfigError `E_PEER_MISSING` if `jose` is missing or too old; `E_OPTION_INVALID` if a function returned
   * keys that cannot verify a token.
   */
  forApplication(app: GuardSetup): Promise<AuthGuard<TUser>> {
    return this.#verifier({ clock: app.get(Clock), app })
  }

  async #verifier({ clock, app }: GuardDeps): Promise<TokenVerifier> {
    const { options } = this
    const logger = app?.logger
    const isRead = this.tenantOf !== undefined
    return new TokenVerifier({
      options,
      rules: rulesOf(options),
      challenges: this.#challenges,
      keys:
        options.keys === undefined
          ? remoteKeys(options, { clock, logger })
          : fixedKeys(await this.#ownKeys(app)),
      jose: await loadPeer('jose', JOSE, () => import('jose')),
      clock,
      remember: isRead ? (req, claims) => this.#claims.set(req, claims) : null,
    })
  }

  async #ownKeys(app: GuardSetup | null): Promise<readonly VerificationKey[]> {
    const { keys } = this.options
    if (typeof keys !== 'function') return this.#keys
    if (app === null) throw new TypeError(ALONE)
    return readKeysAtBoot(await keys(app), this.options)
  }

  #tenantOf(req: Request): string | undefined {
    return readTenant(this.options.tenant, this.#claims.get(req) ?? {})
  }
}

function remoteKeys(
  options: AnyJwtOptions,
  {
    clock,
    logger,
  }: { readonly clock: TimeSource; readonly logger: GuardSetup['logger'] | undefined },
): KeySource {
  const closing = new AbortController()
  // `globalThis.fetch` is looked up at each call, because tests and tracers replace it.
  const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
  const read = jwksReader(options, { fetch, closed: closing.signal })
  return new RemoteKeys({ read, clock, logger, abort: () => closing.abort() })
}

function rulesOf(options: AnyJwtOptions): ClaimRules {
  const { audience = false, type, expires, maxAge, clockTolerance = DEFAULT_TOLERANCE_S } = options
  return {
    issuer: options.issuer,
    audience: audience === false ? null : [audience].flat(),
    types: type === undefined ? [undefined, 'jwt', 'at+jwt'] : [typeOf(type)],
    needsExpiry: expires !== 'optional',
    maxAge: maxAge === undefined ? undefined : toSeconds(maxAge),
    tolerance: toSeconds(clockTolerance) as number,
  }
}

/**
 * Returns the security scheme for the document. OpenAPI accepts only schemes from the HTTP registry, so any other
 * scheme is documented as a key in the header.
 */
function securityOf(scheme = 'Bearer'): OpenApiSecurityScheme {
  if (scheme.toLowerCase() === 'bearer') {
    return { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }
  }
  const description = `\`${scheme}\`, a space, and a JSON Web Token`
  return { type: 'apiKey', in: 'header', name: 'Authorization', description }
}

/**
 * Creates a guard that verifies JSON Web Tokens (RFC 7519, RFC 8725): signature, `iss`, `aud`, `exp`, `nbf`, `typ`. The
 * type of each key determines the algorithms; the token never does. An invalid token is refused with a 401 response and
 * a challenge according to RFC 6750. The guard needs the package `jose`.
 *
 * @param options The source of the keys, the accepted audience, and how the claims are used.
 * @throws ConfigError at boot with all problems in the options.
 * @example
 * const Claims = z.object({ email: z.email(), org_id: z.string() })
 * const guard = jwt({ issuer: 'https://id.example.com', audience: 'orders', claims: Claims, tenant: 'org_id' })
 * const app = new App({ controllers, auth: { guard } })
 */
export function jwt<
  S extends StandardSchemaV1 | undefined = undefined,
  TUser extends object = JwtUser<S>,
>(options: JwtOptions<S, TUser>): JwtGuard<TUser> {
  return orStandIn(
    () => new JwtGuard<TUser>(options),
    () => new JwtGuard<TUser>({ issuer: 'https://invalid.invalid', audience: 'none' }),
  )
}
