import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, expect, it } from 'vitest'
import { root } from '../root.js'

const MEGABYTE = 1024 * 1024
const FILE_MEGABYTES = 1024

interface Usage {
  readonly most: number
}

const children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill()
    await once(child, 'exit')
  }
})

async function receiver(): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(join(root, 'test/operating/large-upload.ts'), [], {
    execArgv: ['--expose-gc', '--import', 'tsx'],
  })
  children.push(child)
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { child, port }
}

async function ask(child: ChildProcess, question: string): Promise<Usage> {
  const reply = once(child, 'message')
  child.send(question)
  return (await reply)[0] as Usage
}

async function* formOf(megabytes: number): AsyncGenerator<Buffer> {
  const chunk = Buffer.alloc(MEGABYTE, 'v')
  const head = 'Content-Disposition: form-data; name='
  yield Buffer.from(
    `--b\r\n${head}"title"\r\n\r\nA film\r\n--b\r\n${head}"video"; filename="v"\r\n\r\n`,
  )
  for (let count = 0; count < megabytes; count++) yield chunk
  yield Buffer.from('\r\n--b--\r\n')
}

async function upload(port: number, megabytes: number): Promise<string> {
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b' }
  const req = request({ host: '127.0.0.1', port, path: '/videos', method: 'POST', headers })
  Readable.from(formOf(megabytes)).pipe(req)
  const [res] = await once(req, 'response')
  let text = ''
  for await (const chunk of res) text += chunk
  return text
}

/** How many MiB the peak of memory grows by a file of 1 GB, after files of 128 MB. */
async function growth(): Promise<number> {
  const { child, port } = await receiver()
  for (let round = 0; round < 4; round++) await upload(port, 128)
  const { most } = await ask(child, 'usage')
  expect(await upload(port, FILE_MEGABYTES)).toContain(`"size":${FILE_MEGABYTES * MEGABYTE}`)
  const after = await ask(child, 'usage')
  return (after.most - most) / MEGABYTE
}

it('the upload of a 1 GB file needs at most 100 MiB more memory than uploads of 128 MB', async () => {
  // The moments of the garbage collector move a peak by 30 MiB. A file that is kept would move each of them by 1 GB.
  const grown = [await growth(), await growth()]
  expect(Math.min(...grown)).toBeLessThan(20)
  expect(Math.max(...grown)).toBeLessThan(100)
})
