// Express 5 with the usual middlewares. ETag and X-Powered-By are off, which saves it time: the others send neither.
import { createServer } from 'node:http'
import express from 'express'
import helmet from 'helmet'
import { authenticate, envelope, findUser, HELMET, Order, placeOrder } from '../workloads.mjs'
import { serve, workload } from './serve.mjs'

const app = express()
app.disable('x-powered-by')
app.disable('etag')

function getUser(req, res) {
  res.json(envelope(200, 'User found', findUser(req.params.id)))
}

async function guard(req, res, next) {
  req.user = await authenticate(req.headers.authorization)
  if (req.user === undefined) return res.status(401).json({ message: 'Authentication is required' })
  next()
}

function validate(schema) {
  return (req, res, next) => {
    const { success, data, error } = schema.safeParse(req.body)
    if (!success) return res.status(400).json({ message: error.message })
    req.body = data
    next()
  }
}

function createOrder(req, res) {
  res.status(201).json(envelope(201, 'Order created', placeOrder(req.body)))
}

if (workload === 'get') app.get('/users/:id', getUser)
else {
  app.use(helmet(HELMET))
  app.use(express.json())
  app.post('/orders', guard, validate(Order), createOrder)
}
app.use((error, _req, res, _next) => {
  res.status(error.status ?? 500).json({ message: error.message })
})

serve(createServer(app))
