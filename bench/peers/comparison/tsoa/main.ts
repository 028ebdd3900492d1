// tsoa on Express: the routes and the document are generated from the types of the controllers before this program is compiled.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import helmet from 'helmet'
import { RegisterRoutes } from './routes.js'

const require = createRequire(import.meta.url)
const express = require('express')
const app = express()
app.use(express.json())
if (process.argv[2] === 'middleware') app.use(helmet({ referrerPolicy: { policy: 'origin' } }))
RegisterRoutes(app)
const document = require(join(import.meta.dirname, 'swagger.json'))
app.get('/document', (_req, res) => res.json(document))
app.use((error, _req, res, _next) => {
  res.status(error.status ?? 500).json({ message: error.message, fields: error.fields })
})
const server = app.listen(0, '127.0.0.1', () => {
  process.on('disconnect', () => process.exit())
  process.send?.({ port: server.address().port, document: '/document' })
})
