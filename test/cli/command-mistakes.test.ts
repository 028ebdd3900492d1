import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runInProcess } from './run-in-process.js'

const FILES = {
  'package.json': '{ "type": "module" }',
  'empty/package.json': '{}',
  'src/main.ts': 'export {}',
  'none.js': 'export const x = 1',
  'broken.json': '{ "openapi": ',
  'other.json': '{ "swagger": "2.0" }',
  'no-responses.json': '{ "openapi": "3.0.3", "paths": { "/x": { "get": {} } } }',
}

let folder: string
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'blazon-mistakes-')))
  for (const name of ['src', 'empty']) mkdirSync(join(folder, name))
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a mistake that is found before the application is loaded', () => {
  it.each<[what: string, args: string, message: string]>([
    ['an entry that is missing', 'routes --entry nowhere.ts', 'There is no file at'],
    ['an entry that is a folder', 'routes --entry src', 'It is a folder.'],
    ['a path that leaves the project', 'openapi export --out ../x.json', 'is outside the project'],
    ['an output path that is a folder', 'openapi export --out src', 'is a folder'],
    ['zero workers', 'start none.js --workers 0', 'a whole number from 1 to 1024'],
    ['a number of workers without a number', 'start none.js --workers x', 'Specify auto, or'],
    ['too many workers', 'start none.js --workers 2000', 'from 1 to 1024'],
    ['a heartbeat below 0', 'start none.js --heartbeat -1', 'Specify a number of seconds, up to'],
    ['a missing entry of start', 'start dist/nowhere.js', 'is not a file'],
    ['a folder as the entry of start', 'start src --workers 2', 'is not a file'],
    ['TypeScript as the entry of start', 'start src/main.ts', 'is TypeScript'],
    ['start without an entry', 'start', 'dist/main.js is not a file'],
    ['an invalid port of dev', 'dev --port 70000', 'a whole number up to 65535'],
    ['a missing entry of dev', 'dev --entry nowhere.js', 'There is no file at'],
    ['a missing base document', 'openapi diff nowhere.json', 'cannot be read'],
    ['a base document that cannot be parsed', 'openapi diff broken.json', 'neither JSON nor YAML'],
    ['another kind of document', 'openapi diff other.json', 'not an OpenAPI document'],
    [
      'a base document without responses',
      'openapi diff no-responses.json',
      'GET /x has no responses',
    ],
    [
      'an explanation of two paths',
      'routes --explain GET /orders /echo',
      "The value is 'GET' '/orders' '/echo'.",
    ],
    ['no route', 'routes --explain', "option '--explain <route...>' argument missing"],
    [
      'an explanation with a filter',
      'routes --explain /echo --filter echo',
      "cannot be used with option '--filter <text>'",
    ],
  ])('causes one clear error: %s', async (_, args, message) => {
    const { status, stdout, stderr } = await runInProcess(args.split(' '), folder)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/^ +at /m)
    expect(existsSync(join(folder, '../x.json'))).toBe(false)
  })

  it('can be a missing tsx, and the error contains the command that installs it', async () => {
    const { status, stdout, stderr } = await runInProcess(
      ['routes', '--entry', 'src/main.ts'],
      folder,
    )
    expect({ status, stdout }).toEqual({ status: 4, stdout: '' })
    expect(stderr).toContain('npm install --save-dev tsx')
  })

  it('can be a folder without an application', async () => {
    const { status, stderr } = await runInProcess(['routes'], join(folder, 'empty'))
    expect(status).toBe(2)
    expect(stderr).toContain('No application was found.')
  })
})
