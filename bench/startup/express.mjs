// Express 5 with zod; it has no document.
import express from 'express'
import helmet from 'helmet'
import { announce } from '../candidates/serve.mjs'
import { HELMET } from '../orders.mjs'
import { NewOrder, NewUser, ReplacedOrder, ReplacedUser } from './schemas.mjs'
import { orders, users } from './shop.mjs'

const app = express()
app.use(helmet(HELMET))
app.use(express.json())

function validate(schema) {
  return (req, res, next) => {
    const { success, data, error } = schema.safeParse(req.body)
    if (!success) return res.status(400).json({ message: error.message })
    req.body = data
    next()
  }
}

function define(path, things, Created, Replaced) {
  app.get(path, (_req, res) => res.json(things.list()))
  app.get(`${path}/:id`, (req, res) => res.json(things.read(req.params.id)))
  app.post(path, validate(Created), (req, res) => res.status(201).json(things.create(req.body)))
  app.put(`${path}/:id`, validate(Replaced), (req, res) =>
    res.json(things.replace(req.params.id, req.body)),
  )
  app.delete(`${path}/:id`, (req, res) => res.json(things.remove(req.params.id)))
}

define('/users', users, NewUser, ReplacedUser)
define('/orders', orders, NewOrder, ReplacedOrder)

const server = app.listen(0, '127.0.0.1', () => announce(server.address().port))
