import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packPackage } from '../house/packed-package.js'
import { root } from '../root.js'

/** A registry that has no package, and accepts every token. Nothing is sent to it but questions. */
const requests: string[] = []
const registry = createServer((req, res) => {
  requests.push(`${req.method} ${req.url}`)
  const isUser = req.url === '/-/whoami'
  res.writeHead(isUser ? 200 : 404, { 'Content-Type': 'application/json' })
  res.end(JSON.stringify(isUser ? { username: 'releaser' } : { error: 'Not found' }))
})

const tarball = packPackage()
const folder = mkdtempSync(join(tmpdir(), 'blazon-publish-'))
cpSync(join(root, 'create-blazon'), join(folder, 'create-blazon'), { recursive: true })

beforeAll(() => new Promise<void>((resolve) => void registry.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  registry.close()
  for (const path of [folder, dirname(tarball)]) rmSync(path, { recursive: true, force: true })
})

/** Publishes without sending anything, as a maintainer of whom npm knows nothing but a token. */
async function publish(cwd: string): Promise<{ stdout: string; stderr: string }> {
  const { port } = registry.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  const npmrc = join(folder, 'npmrc')
  writeFileSync(
    npmrc,
    `registry=http://${host}/\n//${host}/:_authToken=none\nupdate-notifier=false\n`,
  )
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))
  const env = {
    ...Object.fromEntries(inherited),
    npm_config_userconfig: npmrc,
    npm_config_globalconfig: join(folder, 'none'),
    npm_config_cache: join(folder, 'cache'),
  }
  const args = ['publish', '--dry-run', '--ignore-scripts', '--json']
  return promisify(execFile)('npm', args, { cwd, env, maxBuffer: 64 << 20 })
}

describe.each([
  ['blazon', join(dirname(tarball), 'stage')],
  ['create-blazon', join(folder, 'create-blazon')],
])('npm publish --dry-run of %s', (name, cwd) => {
  it('prints no warning, and would publish the version of the manifest publicly', async () => {
    const { version } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'))
    const { stdout, stderr } = await publish(cwd)
    const lines = stderr.split('\n').filter((line) => line.startsWith('npm '))
    // It corrects nothing in the manifest: neither `bin` nor `repository`.
    expect(lines.filter((line) => !line.startsWith('npm notice'))).toEqual([])
    expect(lines.join('\n')).toContain('with tag latest and public access (dry-run)')
    expect(stdout).toContain(`"id": "${name}@${version}"`)
    expect(requests.filter((each) => !each.startsWith('GET '))).toEqual([])
  })
})

it('create-blazon has the same version as blazon, and depends on this version', () => {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))
  const { version } = read('.')
  expect(read('create-blazon')).toMatchObject({ version, dependencies: { blazon: `^${version}` } })
})
