import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { endAll, firstLine, start, urlIn } from '../../test/docs/servers.js'
import { CODE } from '../home.mjs'
import { root } from './built-site.js'

afterAll(endAll)

it('the code of the home page responds as the page says', async () => {
  const file = join(root, '.cache/snippets/home/app.ts')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, CODE.replace('listen(3000)', 'listen(0)'))
  const { origin } = new URL(urlIn(await firstLine(start(file))))
  const status = async (path: string, method = 'GET') =>
    (await fetch(origin + path, { method })).status
  expect(await status('/users/0')).toBe(200)
  expect(await status('/users/x')).toBe(400)
  expect(await status('/users/0', 'POST')).toBe(405)
  const { paths } = (await (await fetch(`${origin}/api-docs.json`)).json()) as {
    paths: Record<string, { get: { responses: object } }>
  }
  expect(Object.keys(paths['/users/{id}']?.get.responses ?? {})).toEqual(
    expect.arrayContaining(['2XX', '400']),
  )
  expect(CODE.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(12)
})
