import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, Controller, file, Post, type Req, Upload, type UploadedFile } from 'blazon'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { FORM_TYPE, form, png } from './form.js'

const Video = { title: z.string(), video: file({ maxSize: '1mb', types: ['image/png'] }) }
/** Its form may be much larger than what is read after the response. */
const Large = { title: z.string(), video: file({ maxSize: '4mb' }) }

const Named = { ...Video, title: z.string().meta({ id: 'FilmTitle' }) }
const Tagged = { ...Video, title: z.array(z.string()) }

const folder = mkdtempSync(join(tmpdir(), 'blazon-transfer-'))
const STEP = 64 * 1024

/** What the handlers have seen of the current request. */
let seen: { begun: boolean; size: number | null; error: unknown; first: number }

@Controller('videos')
class VideosController {
  @Post('save')
  @Upload(Video)
  async save({ body }: Req<{ upload: typeof Video }>) {
    note(body.video)
    return await body.video.save(folder).catch(failed)
  }

  @Post('read')
  @Upload(Video)
  async read({ body }: Req<{ upload: typeof Video }>) {
    note(body.video)
    let size = 0
    try {
      for await (const chunk of body.video) {
        size += chunk.length
        seen.first ||= size
      }
    } catch (error) {
      failed(error)
    }
    return { size }
  }

  @Post('named')
  @Upload(Named)
  named(req: Req<{ upload: typeof Named }>) {
    return this.read(req)
  }

  @Post('tagged')
  @Upload(Tagged)
  async tagged({ body }: Req<{ upload: typeof Tagged }>) {
    note(body.video)
    return { titles: body.title, size: (await body.video.bytes()).length }
  }

  @Post('leave')
  @Upload(Video)
  leave({ body }: Req<{ upload: typeof Video }>) {
    note(body.video)
    kept = body.video
    return { left: true }
  }

  @Post('large')
  @Upload(Large)
  large({ body }: Req<{ upload: typeof Large }>) {
    note(body.video)
    return { left: true }
  }
}

let kept: UploadedFile | undefined

function note({ size }: UploadedFile): void {
  seen = { ...seen, begun: true, size }
}

function failed(error: unknown): never {
  seen.error = error
  throw error
}

/** The folder for temporary files. Other processes use that of the system at the same time. */
const temporary = mkdtempSync(join(tmpdir(), 'blazon-temporary-'))
const before = process.env['TMPDIR']

let app: App
let port = 0
beforeAll(async () => {
  process.env['TMPDIR'] = temporary
  app = new App({ controllers: [VideosController], logger: false })
  port = (await app.listen(0, '127.0.0.1')).port
})
beforeEach(() => {
  seen = { begun: false, size: null, error: undefined, first: 0 }
})
afterAll(async () => {
  await app.close()
  if (before === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = before
  rmSync(folder, { recursive: true })
  rmSync(temporary, { recursive: true })
})

/** The open files of this process that belong to uploads. Only Linux lists them. */
function openFiles(): string[] {
  if (!existsSync('/proc/self/fd')) return []
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`)
      return [folder, temporary].some((each) => target.startsWith(each)) ? [target] : []
    } catch {
      return []
    }
  })
}

/** The permissions of the open files. */
function modes(): number[] {
  if (!existsSync('/proc/self/fd')) return []
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = `/proc/self/fd/${fd}`
      return readlinkSync(path).startsWith(temporary) ? [statSync(path).mode & 0o777] : []
    } catch {
      return []
    }
  })
}

const spooledNames = () => readdirSync(temporary)

/** A client that sends a request in pieces. */
class Client {
  readonly socket: Socket = connect(port, '127.0.0.1')
  text = ''
  readonly closed: Promise<void>

  constructor(path: string, length: number) {
    this.socket.on('error', () => {})
    this.socket.on('data', (chunk) => {
      this.text += chunk.toString('latin1')
    })
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()))
    const head = `POST /videos/${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: ${length}\r\n\r\n`
    this.socket.write(head)
  }

  /** Resolves when the bytes have left this process. */
  send(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => this.socket.write(bytes, () => resolve()))
  }

  get status(): number {
    return Number(/^HTTP\/1.1 (\d+)/.exec(this.text)?.[1] ?? 0)
  }
}

const title = { name: 'title', value: 'A film' }
const video = (size: number) => ({
  name: 'video',
  value: png(size),
  filename: 'f.png',
  type: 'image/png',
})
const early = (size: number) => form([title, video(size)])
const late = (size: number) => form([video(size), title])

describe('the handler of an upload', () => {
  it.each([
    ['a schema without a name', 'read'],
    ['a schema with a name', 'named'],
  ])(
    'starts while the last file is arriving, and the file ends when the form ends: %s',
    async (_, path) => {
      const body = early(8 * STEP)
      const client = new Client(path, body.length)
      await client.send(body.subarray(0, 3 * STEP))
      await expect.poll(() => seen.first).toBeGreaterThan(0)
      expect(seen).toMatchObject({ begun: true, size: null })
      await client.send(body.subarray(3 * STEP))
      await expect.poll(() => client.text).toContain(`"size":${8 * STEP}`)
      await expect.poll(openFiles).toEqual([])
      client.socket.destroy()
    },
  )

  it('does not start before a field that follows the file, which is stored on disk without a name', async () => {
    const body = late(8 * STEP)
    const client = new Client('read', body.length)
    await client.send(body.subarray(0, -20))
    // Every byte of the file is on disk, and its name is gone already.
    if (existsSync('/proc/self/fd')) await expect.poll(openFiles).toHaveLength(1)
    expect(modes()).toEqual(existsSync('/proc/self/fd') ? [0o600] : [])
    expect(seen.begun).toBe(false)
    await expect.poll(spooledNames).toEqual([])
    await client.send(body.subarray(-20))
    await expect.poll(() => client.text).toContain(`"size":${8 * STEP}`)
    expect(seen).toMatchObject({ begun: true, size: 8 * STEP })
    await expect.poll(openFiles).toEqual([])
    client.socket.destroy()
  })

  it('does not start before the end of the form if a field is a list', async () => {
    const body = form([title, video(3 * STEP), { name: 'title', value: 'Another' }])
    const client = new Client('tagged', body.length)
    await client.send(body.subarray(0, -20))
    if (existsSync('/proc/self/fd')) await expect.poll(openFiles).toHaveLength(1)
    expect(seen.begun).toBe(false)
    await client.send(body.subarray(-20))
    await expect
      .poll(() => client.text)
      .toContain(`"titles":["A film","Another"],"size":${3 * STEP}`)
    client.socket.destroy()
  })

  it('receives no complete file if the form has no end', async () => {
    const body = form([title, video(3 * STEP)], '')
    const client = new Client('save', body.length)
    await client.send(body)
    await expect.poll(() => client.text).toContain('MALFORMED_BODY')
    expect(client.status).toBe(400)
    client.socket.destroy()
    expect(seen).toMatchObject({ begun: true, error: { code: 'MALFORMED_BODY' } })
    await expect.poll(() => [readdirSync(folder), openFiles()]).toEqual([[], []])
  })

  it('receives no complete file if a part occurs twice', async () => {
    const body = form([title, video(3 * STEP), title])
    const client = new Client('save', body.length)
    await client.send(body)
    await expect.poll(() => client.status).toBe(400)
    expect(client.text).toContain('"path":"title"')
    await expect.poll(() => readdirSync(folder)).toEqual([])
    client.socket.destroy()
  })

  it.each([
    ['a file with an unknown name', { ...video(10), name: 'other' }, ''],
    ['a field with an unknown name', { name: 'other', value: 'x' }, null],
  ])('learns of a part after the last file: %s', async (_, part, path) => {
    const body = form([title, video(3 * STEP), part])
    const client = new Client('read', body.length)
    await client.send(body)
    const expected = path === null ? `"size":${3 * STEP}` : `"path":"${path}"`
    await expect.poll(() => client.text).toContain(expected)
    expect(client.status).toBe(path === null ? 200 : 400)
    if (path !== null) expect(client.text).toContain('has more parts than allowed')
    client.socket.destroy()
  })
})

describe('a client that disconnects during an upload', () => {
  const cuts = Array.from({ length: 8 }, (_, step) => step * STEP + 300)
  it.each(
    cuts.flatMap((bytes) => [
      { path: 'save', order: 'early', bytes },
      { path: 'save', order: 'late', bytes },
      { path: 'read', order: 'early', bytes },
      { path: 'leave', order: 'early', bytes },
    ]),
  )('leaves no file and no file handle: $path, fields $order, after $bytes bytes', async (cut) => {
    const body = cut.order === 'early' ? early(8 * STEP) : late(8 * STEP)
    const client = new Client(cut.path, body.length)
    await client.send(body.subarray(0, cut.bytes))
    const mayBegin = cut.order === 'early' && cut.bytes > 2 * STEP
    if (mayBegin) await expect.poll(() => seen.begun).toBe(true)
    client.socket.destroy()
    await client.closed
    if (mayBegin && cut.path !== 'leave') {
      const message = 'The form ended early'
      await expect.poll(() => seen.error).toMatchObject({ code: 'MALFORMED_BODY', message })
    }
    await expect
      .poll(() => [openFiles(), readdirSync(folder), spooledNames()])
      .toEqual([[], [], []])
  })

  it('does not affect other clients', async () => {
    const body = early(2 * STEP)
    const client = new Client('save', body.length)
    await client.send(body)
    await expect.poll(() => client.status).toBe(200)
    expect(readdirSync(folder)).toHaveLength(1)
    rmSync(join(folder, readdirSync(folder)[0] as string))
    client.socket.destroy()
  })
})

describe('an upload after the response', () => {
  it.each([
    ['in memory', early],
    ['on disk', late],
  ])('deletes a file %s that was not saved, and keeps the connection open', async (_, bodyOf) => {
    const body = bodyOf(4 * STEP)
    const client = new Client('leave', body.length)
    await client.send(body)
    await expect.poll(() => client.text).toContain('"left":true')
    client.text = ''
    // The rest of the body is dropped, and the next request of the connection is understood.
    await client.send(Buffer.from('GET /none HTTP/1.1\r\nHost: a\r\n\r\n'))
    await expect.poll(() => client.status).toBe(404)
    await expect(kept?.bytes()).rejects.toThrow('The request has ended, and its files were deleted')
    client.socket.destroy()
  })

  it('closes the connection if more than 1 MiB of the form would have to be read', async () => {
    const body = form([title, video(3 * 1024 * 1024)])
    const client = new Client('large', body.length)
    await client.send(body.subarray(0, 4 * STEP))
    await expect.poll(() => client.text).toContain('"left":true')
    await client.send(body.subarray(4 * STEP))
    await client.closed
  })

  it('leaves no open file if the client then disconnects', async () => {
    const client = new Client('leave', early(1024 * 1024).length)
    await client.send(early(1024 * 1024).subarray(0, 4 * STEP))
    await expect.poll(() => client.text).toContain('"left":true')
    client.socket.destroy()
    await client.closed
    await expect.poll(openFiles).toEqual([])
  })
})

it('closing the application ends uploads, and leaves no files', async () => {
  const other = new App({
    controllers: [VideosController],
    logger: false,
    timeouts: { close: '100ms' },
  })
  const { port: ownPort } = await other.listen(0, '127.0.0.1')
  const usual = port
  port = ownPort
  const clients = [
    new Client('save', early(8 * STEP).length),
    new Client('save', late(8 * STEP).length),
  ]
  port = usual
  await clients[0]?.send(early(8 * STEP).subarray(0, 4 * STEP))
  await clients[1]?.send(late(8 * STEP).subarray(0, 4 * STEP))
  await expect.poll(() => seen.begun).toBe(true)
  await other.close()
  await Promise.all(clients.map(({ closed }) => closed))
  await expect.poll(() => [openFiles(), readdirSync(folder), spooledNames()]).toEqual([[], [], []])
})
