// The floor: node:http alone. It sends the same bytes in the cheapest way Node has, and checks nothing.
import { createServer } from 'node:http'
import { envelope, findUser, placeOrder } from '../workloads.mjs'
import { serve, workload } from './serve.mjs'

const SECURITY_HEADERS = [
  ['Content-Security-Policy', "default-src 'none';frame-ancestors 'none'"],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Origin-Agent-Cluster', '?1'],
  ['Referrer-Policy', 'no-referrer'],
  ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-DNS-Prefetch-Control', 'off'],
  ['X-Download-Options', 'noopen'],
  ['X-Frame-Options', 'SAMEORIGIN'],
  ['X-Permitted-Cross-Domain-Policies', 'none'],
  ['X-XSS-Protection', '0'],
].flat()

const PREFIX = '/users/'

function getUser(req, res) {
  const user = findUser(req.url.slice(PREFIX.length))
  send(res, 200, [], envelope(200, 'User found', user))
}

function createOrder(req, res) {
  const chunks = []
  req.on('data', (chunk) => chunks.push(chunk))
  req.on('end', () => {
    const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
    const order = JSON.parse(bytes.toString())
    send(res, 201, SECURITY_HEADERS, envelope(201, 'Order created', placeOrder(order)))
  })
}

function send(res, status, headers, body) {
  const text = JSON.stringify(body)
  res.writeHead(status, [
    ...headers,
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    Buffer.byteLength(text),
  ])
  res.end(text)
}

serve(createServer(workload === 'get' ? getUser : createOrder))
