import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fileResponse } from 'blazon'
import { describe, expect, it, onTestFinished } from 'vitest'
import { folder, type Served, serve, state } from './files-app.js'

/** A folder `root` with `a.txt`, and a file beside it that nobody may read. */
async function start(): Promise<Served & { root: string; parent: string }> {
  const parent = folder({ 'secret.txt': 'secret' })
  const root = join(parent, 'root')
  mkdirSync(join(root, 'sub'), { recursive: true })
  writeFileSync(join(root, 'a.txt'), 'a')
  writeFileSync(join(root, 'sub', 'b.txt'), 'b')
  writeFileSync(join(root, '.env'), 'secret')
  mkdirSync(join(parent, 'root-evil'))
  writeFileSync(join(parent, 'root-evil', 'secret.txt'), 'secret')
  state.root = root
  return { ...(await serve()), root, parent }
}

async function ask({ url }: Served, path: string): Promise<[status: number, text: string]> {
  state.make = () => fileResponse(path, { root: state.root })
  const response = await fetch(`${url}/made`)
  return [response.status, await response.text()]
}

describe('a file path', () => {
  it('can refer to a file in the folder or in a subfolder', async () => {
    const served = await start()
    expect(await ask(served, 'a.txt')).toEqual([200, 'a'])
    expect(await ask(served, 'sub/b.txt')).toEqual([200, 'b'])
  })

  it.each([
    '../secret.txt',
    'sub/../../secret.txt',
    'sub/../a.txt',
    '../root-evil/secret.txt',
    './a.txt',
    '/etc/passwd',
    '//a.txt',
    'sub//b.txt',
    'sub\\..\\..\\secret.txt',
    '..\\secret.txt',
    'a.txt\0.png',
    'a.txt/',
    '.env',
    'sub/.env',
    '',
    '.',
    '..',
    'C:\\secret.txt',
    '%2e%2e/secret.txt',
    'missing.txt',
    'a.txt/b.txt',
    'x'.repeat(5000),
  ])('results in a 404 response if it is unsafe, hidden or missing: %j', async (path) => {
    const served = await start()
    const [status, text] = await ask(served, path)
    expect([status, JSON.parse(text)]).toMatchObject([
      404,
      { code: 'NOT_FOUND', message: 'Not Found' },
    ])
    expect(text).not.toContain(served.root)
    expect(served.errors).toEqual([])
  })

  it('never refers to a file outside of its folder, however it is encoded in the URL', async () => {
    const { url } = await start()
    for (const path of [
      '..%2fsecret.txt',
      '%2e%2e%2fsecret.txt',
      '..%5csecret.txt',
      '%252e%252e%252fsecret.txt',
      'sub/..%2f..%2fsecret.txt',
      '%2fetc%2fpasswd',
    ]) {
      const response = await fetch(`${url}/files/${path}`)
      expect([path, response.status]).toEqual([path, 404])
      expect(await response.text()).not.toContain('secret"')
    }
    expect((await fetch(`${url}/files/sub%2fb.txt`)).status).toBe(200)
  })

  it('results in an immediate 404 response if it is not the path of a regular file', async () => {
    const served = await start()
    execFileSync('mkfifo', [join(served.root, 'pipe')])
    const server = createServer().listen(join(served.root, 'socket'))
    onTestFinished(() => void server.close())
    for (const path of ['pipe', 'socket', 'sub']) {
      expect([path, (await ask(served, path))[0]]).toEqual([path, 404])
    }
  })
})

describe('a symbolic link', () => {
  it('can refer to a file in the folder, but not to other files', async () => {
    const served = await start()
    const { root, parent } = served
    symlinkSync(join(root, 'sub', 'b.txt'), join(root, 'inside'))
    symlinkSync('sub', join(root, 'folder'))
    symlinkSync(join(parent, 'secret.txt'), join(root, 'outside'))
    symlinkSync(parent, join(root, 'up'))
    symlinkSync(join(parent, 'root-evil'), join(root, 'beside'))
    symlinkSync('loop', join(root, 'loop'))
    symlinkSync('/dev/zero', join(root, 'zero'))
    expect(await ask(served, 'inside')).toEqual([200, 'b'])
    expect(await ask(served, 'folder/b.txt')).toEqual([200, 'b'])
    for (const path of ['outside', 'up/secret.txt', 'beside/secret.txt', 'loop', 'zero']) {
      expect([path, (await ask(served, path))[0]]).toEqual([path, 404])
    }
  })

  it('can be the folder itself', async () => {
    const served = await start()
    symlinkSync(served.root, join(served.parent, 'link'))
    state.root = join(served.parent, 'link')
    expect(await ask(served, 'a.txt')).toEqual([200, 'a'])
  })
})

describe('the root folder', () => {
  it('can be passed as a file URL', async () => {
    const { url, root } = await start()
    state.make = () => fileResponse('a.txt', { root: pathToFileURL(root) })
    expect(await (await fetch(`${url}/made`)).text()).toBe('a')
  })

  it('causes a 500 response and a log line with its path if it does not exist', async () => {
    const served = await start()
    rmSync(served.root, { recursive: true })
    const [status, text] = await ask(served, 'a.txt')
    expect(status).toBe(500)
    expect(text).not.toContain(served.root)
    expect(served.errors).toMatchObject([
      { err: { message: expect.stringContaining(served.root) } },
    ])
  })
})
