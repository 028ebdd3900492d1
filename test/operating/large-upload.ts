// A process that receives uploads, and prints how much memory and processor time they took. The test sends them.
import { createServer } from 'node:http'
import { App, Controller, file, Post, type Req, Upload } from 'blazon'
import { z } from 'zod'

const Form = { title: z.string(), video: file({ maxSize: '2gb' }) }

@Controller('videos')
class VideosController {
  @Post()
  @Upload(Form)
  async create({ body }: Req<{ upload: typeof Form }>) {
    let size = 0
    for await (const chunk of body.video) size += chunk.length
    return { size }
  }
}

/** Busboy alone, which reads the same form and drops it. */
async function listenAlone(): Promise<number> {
  const { Busboy } = await import('@fastify/busboy' as string)
  const server = createServer((req, res) => {
    let size = 0
    const parser = new Busboy({ headers: req.headers })
    parser.on('file', (_name: string, stream: NodeJS.ReadableStream) => {
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length
      })
    })
    parser.on('finish', () => res.end(JSON.stringify({ data: { size } })))
    req.pipe(parser)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as { port: number }).port
}

const port =
  process.argv[2] === 'alone'
    ? await listenAlone()
    : (await new App({ controllers: [VideosController], logger: false }).listen(0, '127.0.0.1'))
        .port

let most = 0
setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss())
}, 5)
process.on('message', (message) => {
  if (message === 'reset') {
    global.gc?.()
    most = process.memoryUsage.rss()
  }
  process.send?.({ rss: process.memoryUsage.rss(), most, cpu: process.cpuUsage() })
})
process.send?.({ port })
