import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorEnvelope } from '../../errors/envelope.js'
import { html } from '../../features/docs/html.js'
import type { Failure } from './failure.js'

/** What a client shall do next: `Retry-After` and the page load again after so many seconds. */
const RETRY_SECONDS = 2
const STARTING = 'The application has not started yet.'

/**
 * Returns a function that responds to the request of a connection in place of the application: 503, with the reason. A
 * client that prefers HTML gets a page.
 */
export function statusResponder(failure: () => Failure | undefined): (socket: Socket) => void {
  const server = createServer({ keepAlive: false }, (req, res) => {
    res.shouldKeepAlive = false
    respond(req, res, failure())
  })
  // An upgrade without a handler would close the connection without a response.
  server.on('upgrade', (_req, socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n'))
  return (socket) => {
    server.emit('connection', socket)
    socket.resume()
  }
}

function respond(req: IncomingMessage, res: ServerResponse, failure: Failure | undefined): void {
  const title = failure?.title ?? STARTING
  const isPage = /\btext\/html\b/.test(req.headers.accept ?? '')
  res.writeHead(503, {
    'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'retry-after': String(RETRY_SECONDS),
    // The text may contain anything: it is shown, and never run.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'x-content-type-options': 'nosniff',
  })
  res.end(isPage ? page(title, failure?.details ?? '') : JSON.stringify(envelope(title, failure)))
}

function envelope(title: string, failure: Failure | undefined): ErrorEnvelope {
  const details = failure === undefined ? '' : `\n${failure.details}`
  return {
    statusCode: 'error',
    status: 503,
    message: `${title}${details}`,
    code: 'SERVICE_UNAVAILABLE',
  }
}

function page(title: string, details: string): string {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${RETRY_SECONDS}">
<title>${title}</title>
<style>
  :root { color-scheme: light dark; font-family: system-ui, sans-serif }
  body { margin: 3rem auto; max-width: 70rem; padding: 0 1rem }
  pre { font-size: 0.9rem; overflow-x: auto; white-space: pre-wrap }
</style>
<h1>${title}</h1>
<pre>${details}</pre>
<p>blazon dev loads this page again every ${RETRY_SECONDS} seconds.</p>
`.text
}
