import { Controller, fileResponse, Get, type Request, type Response } from 'blazon'
import { describe, expect, it } from 'vitest'
import { folder, serve, state } from './files-app.js'

async function dispositionOf(name: string, inline = false): Promise<string | null> {
  const { url } = await serve()
  state.make = () => fileResponse(Buffer.from('x'), { name, inline })
  return (await fetch(`${url}/made`)).headers.get('content-disposition')
}

describe('the name of a file', () => {
  it.each([
    ['report.pdf', 'attachment; filename=report.pdf'],
    ['a "b" \\c;.pdf', 'attachment; filename="c;.pdf"'],
    [
      'Größe €.pdf',
      `attachment; filename="Gr??e ?.pdf"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E2%82%AC.pdf`,
    ],
    ['../../etc/passwd', 'attachment; filename=passwd'],
    ['C:\\temp\\a.txt', 'attachment; filename=a.txt'],
    ['a\r\nSet-Cookie: x=1.txt', 'attachment; filename="aSet-Cookie: x=1.txt"'],
    ['\u202Efdp.exe', 'attachment; filename=fdp.exe'],
    ['..', 'attachment; filename=download'],
    ['a/', 'attachment; filename=download'],
    [' .. ', 'attachment; filename=download'],
    ['a%20b.txt', `attachment; filename=a%20b.txt; filename*=UTF-8''a%2520b.txt`],
  ])('is made safe: %j', async (name, expected) => {
    expect(await dispositionOf(name)).toBe(expected)
  })

  it('can contain a lone surrogate, and is shortened if it is too long', async () => {
    expect(await dispositionOf('\ud800.txt')).toContain("filename*=UTF-8''%EF%BF%BD.txt")
    expect(await dispositionOf('x'.repeat(9000))).toBe(`attachment; filename=${'x'.repeat(255)}`)
    // The limit is between the halves of a surrogate pair.
    expect(await dispositionOf(`${'x'.repeat(254)}😀`)).toContain(`${'x'.repeat(254)}%EF%BF%BD`)
  })

  it('is sent with an inline disposition if `inline` is set', async () => {
    expect(await dispositionOf('a.pdf', true)).toBe('inline; filename=a.pdf')
  })
})

describe('the type of a file', () => {
  it('is the declared type, or else the documented type, or else the type of the name', async () => {
    folder({ 'a.svg': '<svg/>' })
    const { url } = await serve()
    const typeOf = async (path: string) => (await fetch(url + path)).headers.get('content-type')
    state.make = () => fileResponse('a.svg', { root: state.root, type: 'text/x-own' })
    expect([await typeOf('/made'), await typeOf('/picture')]).toEqual(['text/x-own', 'text/x-own'])
    state.make = () => fileResponse('a.svg', { root: state.root })
    expect([await typeOf('/made'), await typeOf('/picture')]).toEqual([
      'image/svg+xml',
      'image/png',
    ])
    state.make = () => fileResponse(Buffer.from('x'))
    expect(await typeOf('/made')).toBe('application/octet-stream')
  })

  it('is the type that the handler has set with `res`, even if a Blob has another type', async () => {
    @Controller('own')
    class Own {
      @Get() get(_req: Request, res: Response) {
        res.type('text/x-own')
        return fileResponse(new Blob(['x'], { type: 'image/png' }))
      }
    }
    const { url } = await serve({ controllers: [Own] })
    expect((await fetch(`${url}/own`)).headers.get('content-type')).toMatch(/^text\/x-own/)
  })
})

describe('the function fileResponse', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['a path without root', () => fileResponse('a.txt' as never), /pass `root`/],
    ['an empty root', () => fileResponse('a.txt', { root: '' }), /pass `root`/],
    ['undefined as the content', () => fileResponse(undefined as never), /was given undefined/],
    ['a plain object', () => fileResponse({} as never), /pass a path with `root`/],
    ['a tag with quotes', () => fileResponse(Buffer.from(''), { etag: '"a"' }), /invalid `etag`/],
    [
      'an invalid date',
      () => fileResponse(Buffer.from(''), { lastModified: new Date('x') }),
      /invalid `lastModified`/,
    ],
    [
      'a number as the name',
      () => fileResponse(Buffer.from(''), { name: 7 as never }),
      /invalid `name`/,
    ],
    [
      'a number as the type',
      () => fileResponse(Buffer.from(''), { type: 7 as never }),
      /invalid `type`/,
    ],
  ])('throws immediately if it is called with %s', (_, call, message) => {
    expect(call).toThrow(TypeError)
    expect(call).toThrow(message)
  })

  it('keeps its options, even if the object with the options changes later', async () => {
    const { url } = await serve()
    const options = { name: 'first.txt' }
    const file = fileResponse(Buffer.from('x'), options)
    options.name = 'second.txt'
    state.make = () => file
    expect((await fetch(`${url}/made`)).headers.get('content-disposition')).toBe(
      'attachment; filename=first.txt',
    )
  })

  it('returns an object that reveals nothing about the file in JSON', () => {
    expect(JSON.stringify(fileResponse('a.txt', { root: '/secret' }))).toBe('{}')
  })
})
