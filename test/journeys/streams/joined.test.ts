import { once } from 'node:events'
import { connect } from 'node:net'
import { Controller, csv, defineControllers, Get, JsonLines, Produces, Sse } from 'blazon'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { gate } from '../gate.js'
import { script, start, state, useStreams } from './streams-app.js'

useStreams()

/** The chunks of a response at a real socket, as they were written: RFC 9112, 7.1. */
async function chunksOf(port: number, path: string): Promise<string[]> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  onTestFinished(() => void socket.destroy())
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  let text = ''
  socket.on('data', (part) => {
    text += part
  })
  await once(socket, 'close')
  let rest = text.slice(text.indexOf('\r\n\r\n') + 4)
  const chunks: string[] = []
  while (rest !== '') {
    const at = rest.indexOf('\r\n') + 2
    const size = Number.parseInt(rest, 16)
    if (size > 0) chunks.push(rest.slice(at, at + size))
    rest = rest.slice(at + size + 2)
  }
  return chunks
}

/** The first item that a generator sends while it waits for a gate. */
async function firstPart(port: number, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (!text.includes('2')) text += decoder.decode((await reader.read()).value)
  await reader.cancel()
  return text
}

const ROWS = 5000

@Controller('rows')
class RowsController {
  @Produces(csv()) @Get() list() {
    return state.script({} as never)
  }
}

const Note = z.object({ note: z.string() })
const LONG = 'x'.repeat(100_000)

@Controller('notes')
class NotesController {
  @JsonLines(Note) @Get('lines') async *lines() {
    for (let n = 0; n < 3; n++) yield { note: LONG }
  }

  @Sse(Note) @Get('events') async *events() {
    for (let n = 0; n < 3; n++) yield { note: LONG }
  }

  @Produces(csv()) @Get('csv') list() {
    return this.lines()
  }
}

const controllers = defineControllers(RowsController)

describe.each([
  ['/streams/lines', undefined, ''],
  ['/streams/events', undefined, ''],
  ['/rows', controllers, 'n\r\n'],
])('rows of %s', (path, own, head) => {
  const serve = async () => {
    const app = await start({ contract: 'off', ...(own === undefined ? {} : { controllers: own }) })
    return (await app.listen(0)).port
  }

  it('are combined into chunks of limited size if they are ready at the same time', async () => {
    script(async function* () {
      for (let n = 1; n <= ROWS; n++) yield { n }
    })
    const chunks = await chunksOf(await serve(), path)
    const numbers = chunks.join('').match(/\d+/g)?.map(Number)
    expect(numbers).toEqual(Array.from({ length: ROWS }, (_, at) => at + 1))
    expect(chunks.length).toBeLessThan(ROWS / 100)
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(66_000)
  })

  it('are sent before the generator waits, even if there are few', async () => {
    const end = gate()
    onTestFinished(() => end.open())
    script(async function* () {
      yield { n: 1 }
      yield { n: 2 }
      await end.opened
      yield { n: 3 }
    })
    expect(await firstPart(await serve(), path)).toContain('1')
  })

  it('are sent together if they are separated only by settled promises', async () => {
    script(async function* () {
      for (let n = 1; n <= 100; n++) {
        await null
        yield { n }
      }
    })
    expect((await chunksOf(await serve(), path)).length).toBeLessThan(5)
  })

  it('are sent before an error that immediately follows them', async () => {
    script(async function* () {
      for (let n = 1; n <= 20; n++) yield { n }
      throw new Error('broken')
    })
    const text = (await chunksOf(await serve(), path)).join('')
    expect(text.startsWith(head)).toBe(true)
    expect(text).toContain('20')
    expect(state.errors).toHaveLength(1)
  })
})

it.each([
  ['lines', 'application/jsonl'],
  ['events', 'text/event-stream'],
  ['csv', 'text/csv'],
])(
  'items of %s that are longer than the buffer of a connection arrive after the head',
  async (path, type) => {
    const app = await start({ contract: 'off', controllers: defineControllers(NotesController) })
    const { port } = await app.listen(0)
    const response = await fetch(`http://127.0.0.1:${port}/notes/${path}`)
    expect(response.headers.get('content-type')).toContain(type)
    expect((await response.text()).split(LONG)).toHaveLength(4)
    expect(state.errors).toEqual([])
  },
)
