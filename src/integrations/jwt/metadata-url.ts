/** Where the metadata of a protected resource is: `/.well-known/…` comes before the path of the resource (RFC 9728, 3.1). */
export function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`
}
