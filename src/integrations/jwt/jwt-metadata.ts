import { ConfigError, type Plugin, type Request, type Response } from '../../index.js'
import { type OptionNames, refuseUnknown } from '../../plugin/index.js'
import { metadataUrl } from './challenge.js'
import type { JwtGuard } from './jwt.js'
import { invalid } from './jwt-options.js'

/** Options of {@link jwtMetadata}: members of the metadata (RFC 9728, 2). */
export interface JwtMetadataOptions {
  /** The scopes that clients can request. Default: the guard's `requiredScopes`. */
  readonly scopes?: readonly string[]
  /** The issuers of tokens. Default: the guard's `issuer`. */
  readonly authorizationServers?: readonly string[]
  /** A human-readable name for the API. Default: none. */
  readonly name?: string
  /** The URL of a page for developers. Default: none. */
  readonly documentation?: string
}

const NAMES: OptionNames<JwtMetadataOptions> = {
  scopes: true,
  authorizationServers: true,
  name: true,
  documentation: true,
}

/**
 * Creates a plugin that serves the metadata of a protected resource (RFC 9728), so that clients can find out who issues
 * tokens for this API. The guard's challenges contain the URL of the metadata.
 *
 * @param guard A guard with the option `resource`.
 * @throws ConfigError if the guard has no `resource`, or if an option is unknown.
 * @example
 * const guard = jwt({ issuer: 'https://id.example.com', audience: 'orders', resource: 'https://api.example.com' })
 * const app = new App({ controllers, auth: { guard }, plugins: [jwtMetadata(guard)] })
 */
export function jwtMetadata(guard: JwtGuard<unknown>, options: JwtMetadataOptions = {}): Plugin {
  refuseUnknown('jwtMetadata()', options, NAMES)
  const { resource, issuer, requiredScopes, scheme = 'Bearer' } = guard.options
  if (resource === undefined) {
    const remedy =
      "In the options of the guard, set the URL of this API: resource: 'https://api.example.com'."
    throw new ConfigError([
      invalid('resource', 'The guard lacks this option, which jwtMetadata() requires.', remedy),
    ])
  }
  const metadata = {
    resource,
    authorization_servers: options.authorizationServers ?? (issuer === undefined ? [] : [issuer]),
    scopes_supported: options.scopes ?? requiredScopes,
    ...(scheme.toLowerCase() === 'bearer' ? { bearer_methods_supported: ['header'] } : {}),
    resource_name: options.name,
    resource_documentation: options.documentation,
  }
  const handle = (_req: Request, res: Response) => res.json(metadata)
  const { pathname: path } = new URL(metadataUrl(resource))
  return { name: 'jwt-metadata', routes: () => [{ path, handle }] }
}
