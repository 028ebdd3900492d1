// Ten Express middlewares, as applications that grew collect them: five packages, and five of a few lines, as everybody has them.
import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import compression from 'compression'
import cookieParser from 'cookie-parser'
import morgan from 'morgan'
import passport from 'passport'
import serveStatic from 'serve-static'

const PUBLIC_FOLDER = import.meta.dirname
const LANGUAGES = ['en', 'de', 'fr']

/** Where log lines go: written, as to a file, but kept nowhere. */
const discarded = new Writable({ write: (_chunk, _encoding, done) => done() })

/** Answers by status, and the milliseconds they took together. */
const metrics = new Map()

function requestId(req, res, next) {
  req.id = req.headers['x-request-id'] ?? randomUUID()
  res.setHeader('X-Request-Id', req.id)
  next()
}

function responseTime(_req, res, next) {
  const start = performance.now()
  res.on('finish', () => {
    const before = metrics.get(res.statusCode) ?? 0
    metrics.set(res.statusCode, before + performance.now() - start)
  })
  next()
}

/** The last of repeated parameters counts, as hpp has it. */
function lastParameterCounts(req, _res, next) {
  const { query } = req
  for (const name of Object.keys(query)) {
    if (Array.isArray(query[name])) query[name] = query[name].at(-1)
  }
  next()
}

function noStore(_req, res, next) {
  res.setHeader('Cache-Control', 'no-store')
  next()
}

function language(req, res, next) {
  res.locals.language = req.acceptsLanguages(LANGUAGES) || LANGUAGES[0]
  next()
}

export function tenMiddlewares() {
  return [
    requestId,
    responseTime,
    morgan('combined', { stream: discarded }),
    compression(),
    cookieParser(),
    lastParameterCounts,
    noStore,
    language,
    passport.initialize(),
    serveStatic(PUBLIC_FOLDER),
  ]
}
