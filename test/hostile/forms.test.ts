import { connect } from 'node:net'
import { App, Controller, file, Post, type Req, Upload } from 'blazon'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Random } from '../conformance/random.js'
import { CLIENT_FORMS } from '../journeys/uploads/client-forms.js'
import { mutate } from './mutate.js'
import { rounds, seed } from './rounds.js'

const Form = { title: z.string(), image: file({ types: ['image/png'] }) }

@Controller('forms')
class FormsController {
  @Post()
  @Upload(Form)
  async create({ body: { title, image } }: Req<{ upload: typeof Form }>) {
    return { title: title.length, bytes: (await image.bytes()).length }
  }
}

/** The forms of client libraries, as whole requests. */
const TEMPLATES = CLIENT_FORMS.map(({ contentType, body }) => {
  const head = `POST /forms HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: ${contentType}`
  return `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body.toString('latin1')}`
})

describe('forms as client libraries send them', () => {
  const failures: object[] = []
  const logger = { info() {}, warn() {}, error: (facts: object) => void failures.push(facts) }
  const app = new App({
    controllers: [FormsController],
    logger,
    timeouts: { request: '300ms', headers: '300ms' },
  })
  let port: number
  beforeAll(async () => {
    port = (await app.listen(0, '127.0.0.1')).port
  })
  afterAll(() => app.close())

  /** Sends bytes, and returns the status. The server ends every connection: with a response, or because the request has no end. */
  const statusOf = (bytes: string) =>
    new Promise<string>((resolve) => {
      let received = ''
      const socket = connect({ port, host: '127.0.0.1' })
      socket.setEncoding('latin1').on('data', (text) => {
        received += text
        // A second request after the first may be incomplete.
        if (received.includes('\r\n\r\n')) socket.end()
      })
      socket.on('error', () => {}).on('close', () => resolve(received.slice(9, 12)))
      socket.write(bytes, 'latin1')
    })

  it('are accepted', async () => {
    for (const bytes of TEMPLATES) expect(await statusOf(bytes)).toBe('200')
  })

  it(`cause no 5xx response if they are cut, joined and changed (SEED=${seed})`, async () => {
    const random = new Random(seed)
    const seen = new Map<string, number>()
    let left = rounds(3000)
    const client = async () => {
      while (left-- > 0) {
        const status = await statusOf(mutate(random.pick(TEMPLATES), random, TEMPLATES))
        seen.set(status, (seen.get(status) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: 24 }, client))
    expect([...seen.keys()].filter((status) => status.startsWith('5'))).toEqual([])
    expect(failures).toEqual([])
    expect([...seen.keys()]).toEqual(expect.arrayContaining(['200', '400']))
  })
})
