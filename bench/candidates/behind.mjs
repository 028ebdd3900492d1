// The floor of the ten middlewares: node:http that calls them one after another, with the least of Express that they read. It sends the
// headers and bytes that Blazon sends, and checks nothing. What it takes beyond `node.mjs` is the middlewares' own.
import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import express from 'express'
import { tenMiddlewares } from '../middlewares.mjs'
import { envelope, placeOrder, TENANT } from '../orders.mjs'
import { POLICY_HEADERS, withBody } from './floor.mjs'
import { serve } from './serve.mjs'

/** What the middlewares read of a request of Express. */
class Request extends IncomingMessage {
  query = {}

  get originalUrl() {
    return this.url
  }

  get ip() {
    return this.socket.remoteAddress
  }
}
Request.prototype.acceptsLanguages = express.request.acceptsLanguages

const TYPE = ['Content-Type', 'application/json; charset=utf-8']
const LINES = toLines(POLICY_HEADERS)

function toLines(headers) {
  let lines = ''
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`
  return lines
}

/** What they read of a response. Headers that never change are text before the others, which is the cheapest way here, too. */
class Response extends ServerResponse {
  locals = Object.create(null)

  _storeHeader(firstLine, headers) {
    super._storeHeader(firstLine + LINES, headers)
  }
}

const middlewares = tenMiddlewares()

function run(req, res) {
  let index = 0
  const next = (error) => {
    if (error) throw error
    const middleware = middlewares[index++]
    if (middleware === undefined) createOrder(req, res)
    else middleware(req, res, next)
  }
  next()
}

function createOrder(req, res) {
  withBody(req, (order) => {
    const text = JSON.stringify(envelope(201, 'Order created', placeOrder(order, TENANT)))
    res.statusCode = 201
    res.setHeader('Vary', 'Origin')
    res.setHeader(...TYPE)
    res.setHeader('Content-Length', Buffer.byteLength(text))
    res.end(text)
  })
}

serve(createServer({ IncomingMessage: Request, ServerResponse: Response }, run))
