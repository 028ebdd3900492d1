/**
 * Returns a server of a document as an absolute URL, without a slash at the end.
 *
 * @param url The absolute URL of the document. Relative servers are resolved against it (OpenAPI 3.0.3,
 * section 4.7.5).
 */
export function absoluteServer(server: string, url: string): string {
  const absolute = URL.canParse(server, url) ? new URL(server, url).href : server
  return absolute.replace(/\/$/, '')
}
