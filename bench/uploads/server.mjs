// One server with uploads, for bench/uploads.mjs: ours, or node:http with busboy alone. Decorators are called as functions: this
// file is not compiled.
import { createServer } from 'node:http'
import Busboy from '@fastify/busboy'
import { App, Controller, file, Post, Upload } from '../../dist/index.js'

class UploadsController {
  async upload({ body }) {
    let size = 0
    for await (const chunk of body.file) size += chunk.length
    return { size }
  }
}

async function startOurs() {
  const { prototype } = UploadsController
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'upload')
  for (const decorate of [Upload({ file: file({ maxSize: '2gb' }) }), Post()]) {
    decorate(prototype, 'upload', descriptor)
  }
  Controller('uploads')(UploadsController)
  const app = new App({ controllers: [UploadsController], logger: false })
  return (await app.listen(0, '127.0.0.1')).port
}

/** The same work with busboy alone. */
async function startBare() {
  const server = createServer((req, res) => {
    let size = 0
    const parser = new Busboy({ headers: req.headers })
    parser.on('file', (_, part) => part.on('data', (chunk) => (size += chunk.length)))
    parser.on('finish', () => res.end(JSON.stringify({ data: { size } })))
    req.pipe(parser)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server.address().port
}

process.send({ port: await (process.argv[2] === 'blazon' ? startOurs() : startBare()) })
process.on('disconnect', () => process.exit())
process.on('message', () => process.send(process.cpuUsage()))
