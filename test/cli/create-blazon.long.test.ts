import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { root } from '../root.js'
import { Project } from './project.js'

const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))

const project = new Project([])
copyFileSync(join(root, 'create-blazon/main.js'), project.path('main.mjs'))
afterAll(() => project.remove())

/** Runs the program of the package, beside an installed blazon. */
function create(...args: string[]): Promise<{ status: number | null; stderr: string }> {
  return new Promise((resolve) => {
    const argv = [project.path('main.mjs'), ...args]
    const child = execFile(process.execPath, argv, { cwd: project.folder }, (_, __, stderr) =>
      resolve({ status: child.exitCode, stderr }),
    )
  })
}

it('create-blazon creates a project, and passes its options to blazon new', async () => {
  const made = await create('api', '--test', 'node', '--no-install', '--no-git')
  expect(made).toEqual({ status: 0, stderr: '' })
  expect(JSON.parse(project.read('api/package.json')).scripts.test).toContain('node --import tsx')
})

it('create-blazon exits with the status of blazon new', async () => {
  expect(await create('../out')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('leads out of the current folder'),
  })
})

it('create-blazon has the same version as blazon, and depends on it', () => {
  const { version, engines } = read('package.json')
  expect(read('create-blazon/package.json')).toMatchObject({
    version,
    engines,
    dependencies: { blazon: `^${version}` },
  })
})
