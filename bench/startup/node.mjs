// The floor: node:http alone, which answers the one request that is timed, loaded in the cheapest way Node has.
import { serve } from '../candidates/serve.mjs'
import { users } from './shop.mjs'

const { createServer } = process.getBuiltinModule('node:http')
const PREFIX = '/users/'

serve(
  createServer((req, res) => {
    const text = JSON.stringify(users.read(req.url.slice(PREFIX.length)))
    res.writeHead(200, [
      'Content-Type',
      'application/json; charset=utf-8',
      'Content-Length',
      Buffer.byteLength(text),
    ])
    res.end(text)
  }),
)
