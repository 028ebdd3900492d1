import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileResponse } from 'blazon'
import { describe, expect, it } from 'vitest'
import { folder, serve, state } from './files-app.js'

const TEXT = '0123456789'

async function start() {
  const root = folder({ 'a.txt': TEXT })
  const served = await serve()
  const get = (headers: Record<string, string> = {}, init: RequestInit = {}) =>
    fetch(`${served.url}/files/a.txt`, { headers, ...init })
  const first = await get()
  expect(await first.text()).toBe(TEXT)
  const header = (name: string) => first.headers.get(name) as string
  return { ...served, root, get, etag: header('etag'), modified: header('last-modified'), first }
}

describe('a file response', () => {
  it('has headers for its type, length, name, version and date', async () => {
    const { first, etag, root } = await start()
    expect(first.status).toBe(200)
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '10',
      'content-disposition': 'attachment; filename=a.txt',
      'accept-ranges': 'bytes',
      'cache-control': 'no-transform',
    })
    expect(etag).toMatch(/^"[0-9a-z]+-[0-9a-z]+"$/)
    expect(JSON.stringify([...first.headers])).not.toContain(root)
  })

  it('has a new ETag as soon as the file changes', async () => {
    const { root, get, etag } = await start()
    utimesSync(join(root, 'a.txt'), 1e9, 1e9)
    const touched = await get()
    expect(touched.headers.get('last-modified')).toBe('Sun, 09 Sep 2001 01:46:40 GMT')
    const tags = [etag, touched.headers.get('etag')]
    writeFileSync(join(root, 'a.txt'), `${TEXT}more`)
    tags.push((await get()).headers.get('etag'))
    expect(new Set(tags).size).toBe(3)
  })

  it('has the same headers and no body for HEAD, even with a range', async () => {
    const { get, first } = await start()
    const head = await get({ range: 'bytes=0-1' }, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    for (const name of ['content-length', 'etag', 'content-type', 'accept-ranges']) {
      expect(head.headers.get(name)).toBe(first.headers.get(name))
    }
  })
})

describe('a range request', () => {
  it.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=4-', '456789', 'bytes 4-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-300', TEXT, 'bytes 0-9/10'],
    ['bytes=8-100', '89', 'bytes 8-9/10'],
    ['BYTES=0-0', '0', 'bytes 0-0/10'],
  ])('results in a 206 response: %s', async (range, text, contentRange) => {
    const { get } = await start()
    const response = await get({ range })
    expect([response.status, await response.text()]).toEqual([206, text])
    expect(response.headers.get('content-range')).toBe(contentRange)
    expect(response.headers.get('content-length')).toBe(String(text.length))
  })

  it.each(['bytes=10-', 'bytes=-0', 'bytes=99-100'])(
    'results in a 416 response with the file length if it selects no byte of the file: %s',
    async (range) => {
      const { get } = await start()
      const response = await get({ range })
      expect([response.status, await response.json()]).toMatchObject([
        416,
        { code: 'RANGE_NOT_SATISFIABLE' },
      ])
      expect(response.headers.get('content-range')).toBe('bytes */10')
      const gone = ['etag', 'last-modified', 'content-disposition', 'cache-control']
      expect(gone.map((name) => response.headers.get(name))).toEqual([null, null, null, null])
    },
  )

  it.each(['bytes=0-1,3-4', 'bytes=5-3', 'bytes=a-b', 'bytes=-', 'items=0-3', 'bytes'])(
    'results in the complete file if it is invalid or not supported: %s',
    async (range) => {
      const { get } = await start()
      const response = await get({ range })
      expect([response.status, await response.text()]).toEqual([200, TEXT])
      expect(response.headers.has('content-range')).toBe(false)
    },
  )

  it('results in a 416 response for an empty file, unless it is a suffix range', async () => {
    folder({ 'a.txt': '' })
    const { url } = await serve()
    const ask = async (headers: Record<string, string>) => {
      const response = await fetch(`${url}/files/a.txt`, { headers })
      return [response.status, response.headers.get('content-length')]
    }
    expect(await ask({ range: 'bytes=-5' })).toEqual([200, '0'])
    expect((await ask({ range: 'bytes=0-' }))[0]).toBe(416)
  })
})

describe('the If-Range header', () => {
  it('results in a part of the file only if its value matches the current file', async () => {
    const { get, etag, modified } = await start()
    const ask = async (condition: string) =>
      (await get({ range: 'bytes=0-1', 'if-range': condition })).status
    expect(await ask(etag)).toBe(206)
    expect(await ask(modified)).toBe(206)
    for (const other of [`W/${etag}`, '"other"', 'Sun, 09 Sep 2001 01:46:40 GMT', 'nonsense']) {
      expect([other, await ask(other)]).toEqual([other, 200])
    }
    const later = new Date(Date.parse(modified) + 60_000).toUTCString()
    expect(await ask(later)).toBe(200)
  })
})

describe('conditional headers', () => {
  it('result in a 304 response if the client has the current file, before any range is applied', async () => {
    const { get, etag, modified } = await start()
    for (const headers of [
      { 'if-none-match': etag },
      { 'if-none-match': `"other", W/${etag}` },
      { 'if-none-match': '*' },
      { 'if-modified-since': modified },
      { 'if-none-match': etag, range: 'bytes=0-1' },
      { 'if-none-match': etag, range: 'bytes=99-' },
    ]) {
      const response = await get(headers as Record<string, string>)
      expect([headers, response.status, await response.text()]).toEqual([headers, 304, ''])
      expect(response.headers.get('etag')).toBe(etag)
      expect(response.headers.has('content-type')).toBe(false)
    }
    expect((await get({ 'if-none-match': '"other"', 'if-modified-since': modified })).status).toBe(
      200,
    )
  })

  it('result in a 412 response if the client requires another version', async () => {
    const { get, etag, modified } = await start()
    const early = 'Sun, 09 Sep 2001 01:46:40 GMT'
    for (const [headers, status] of [
      [{ 'if-match': '"other"' }, 412],
      [{ 'if-match': `W/${etag}` }, 412],
      [{ 'if-unmodified-since': early }, 412],
      [{ 'if-match': `"other", ${etag}` }, 200],
      [{ 'if-match': '*' }, 200],
      [{ 'if-match': etag, 'if-unmodified-since': early }, 200],
      [{ 'if-unmodified-since': modified }, 200],
      [{ 'if-unmodified-since': 'nonsense' }, 200],
    ] as const) {
      const response = await get(headers as Record<string, string>)
      expect([headers, response.status]).toEqual([headers, status])
    }
  })

  it('are ignored in a POST request', async () => {
    const { url, etag } = await start()
    state.make = () => fileResponse('a.txt', { root: state.root })
    const headers = { 'if-none-match': etag, range: 'bytes=0-1', 'if-match': '"other"' }
    const response = await fetch(`${url}/made`, { method: 'POST', headers })
    expect([response.status, await response.text()]).toEqual([201, TEXT])
  })
})

describe('a file response whose content is not on disk', () => {
  it.each([
    ['bytes', () => Buffer.from(TEXT)],
    ['an ArrayBuffer', () => new TextEncoder().encode(TEXT).buffer],
    ['a part of an array', () => new Uint8Array(Buffer.from(`--${TEXT}--`).buffer, 0, 0)],
  ])('supports ranges and an ETag: %s', async (kind, make) => {
    const { url } = await serve()
    const content =
      kind === 'a part of an array' ? Buffer.from(`--${TEXT}--`).subarray(2, 12) : make()
    state.make = () => fileResponse(content as Uint8Array, { name: 'a.bin' })
    const whole = await fetch(`${url}/made`)
    expect([await whole.text(), whole.headers.get('content-length')]).toEqual([TEXT, '10'])
    const etag = whole.headers.get('etag') as string
    const part = await fetch(`${url}/made`, { headers: { range: 'bytes=2-4', 'if-range': etag } })
    expect([part.status, await part.text()]).toEqual([206, '234'])
    const again = await fetch(`${url}/made`, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })

  it('has the type, the name and the date of its File object', async () => {
    const { url } = await serve()
    state.make = () =>
      fileResponse(new File([TEXT], 'b.svg', { type: 'image/svg+xml', lastModified: 1e12 }))
    const response = await fetch(`${url}/made`, { headers: { range: 'bytes=-2' } })
    expect([response.status, await response.text()]).toEqual([206, '89'])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-disposition': 'attachment; filename=b.svg',
      'last-modified': 'Sun, 09 Sep 2001 01:46:40 GMT',
    })
    const lastModified = new Date(0)
    state.make = () =>
      fileResponse(new File([TEXT], 'b.svg', { lastModified: 1e12 }), { lastModified })
    const changed = await fetch(`${url}/made`)
    expect(changed.headers.get('last-modified')).toBe('Thu, 01 Jan 1970 00:00:00 GMT')
    await changed.text()
  })

  it('supports no ranges if it is a stream', async () => {
    const { url } = await serve()
    state.make = () => fileResponse(Readable.from([TEXT]), { name: 'c.csv', etag: 'v7' })
    const response = await fetch(`${url}/made`, { headers: { range: 'bytes=0-1' } })
    expect([response.status, await response.text()]).toEqual([200, TEXT])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename=c.csv',
      etag: '"v7"',
    })
    expect(response.headers.has('accept-ranges')).toBe(false)
    expect((await fetch(`${url}/made`, { headers: { 'if-none-match': '"v7"' } })).status).toBe(304)
  })

  it('supports ranges without fileResponse if it is documented as a file', async () => {
    const { url } = await serve()
    for (const content of [Buffer.from(TEXT), new Blob([TEXT])]) {
      state.make = () => content
      const response = await fetch(`${url}/picture`, { headers: { range: 'bytes=1-2' } })
      expect([response.status, await response.text()]).toEqual([206, '12'])
      expect(response.headers.get('content-type')).toBe('image/png')
      expect(response.headers.has('content-disposition')).toBe(false)
    }
  })

  it('is never stored by @Cache', async () => {
    let calls = 0
    state.make = () => fileResponse(Buffer.from(`${++calls}`), { name: 'a.txt' })
    const { url } = await serve()
    for (const expected of ['1', '2'])
      expect(await (await fetch(`${url}/cached`)).text()).toBe(expected)
    state.make = () => {
      calls++
      return fileResponse(Buffer.alloc(0), { name: 'a.txt' })
    }
    for (let i = 0; i < 2; i++) await fetch(`${url}/cached`)
    expect(calls).toBe(4)
  })
})
