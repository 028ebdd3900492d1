/**
 * A server of a document as a client would have to write it, without a slash at the end.
 *
 * @param url Absolute URL of the document, against which a relative server is resolved (OpenAPI 3.0.3, 4.7.5).
 */
export function absoluteServer(server: string, url: string): string {
  const absolute = URL.canParse(server, url) ? new URL(server, url).href : server
  return absolute.replace(/\/$/, '')
}
