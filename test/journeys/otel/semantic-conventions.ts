/**
 * The attributes that spans may have without the option `attributes`: names of the registry of OpenTelemetry's semantic
 * conventions, version 1.45. None of them has a header, a query, a body or an address of a client.
 */
export const KNOWN_ATTRIBUTES = new Set([
  'code.function.name',
  'db.query.summary',
  'db.query.text',
  'db.response.status_code',
  'db.system.name',
  'error.type',
  'http.request.method',
  'http.request.method_original',
  'http.request.resend_count',
  'http.response.status_code',
  'http.route',
  'network.protocol.version',
  'server.address',
  'server.port',
  'url.full',
  'url.path',
  'url.scheme',
])

/** The attributes of the event `exception`. */
export const EXCEPTION_ATTRIBUTES = new Set([
  'exception.message',
  'exception.stacktrace',
  'exception.type',
])
