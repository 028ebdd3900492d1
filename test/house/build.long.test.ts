import { execFile } from 'node:child_process'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { builtPackage } from '../cli/built-package.js'
import { Project } from '../cli/project.js'
import { parse, specifiersOf } from './sources.js'

const run = promisify(execFile)

const folder = builtPackage()
const dist = join(folder, 'dist')
const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.js'))
  .map((path) => ({ path, text: readFileSync(join(dist, path), 'utf8') }))
const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** What no user imports: shared code, the command, and the program that keeps an embedded database. */
const INNER = /^(chunks|cli|integrations\/postgres\/keeper)\//

/** The output of a program in the folder of the package, where it can import the package. */
async function outputOf(code: string, ...options: string[]): Promise<string> {
  const args = [...options, '--input-type=module', '--eval', code]
  const { stdout } = await run(process.execPath, args, { cwd: folder })
  return stdout.trim()
}

describe('the build', () => {
  it('contains one file for each entry point, and shared chunks in a folder', () => {
    const doors = Object.values<{ import?: { default: string } }>(exports).flatMap(
      (door) => door.import?.default ?? [],
    )
    expect(doors.length).toBeGreaterThan(5)
    const own = files.map(({ path }) => path).filter((path) => !INNER.test(path))
    expect(own.map((path) => `./dist/${path}`).sort()).toEqual(doors.sort())
  })

  it('contains every class only once, for all entry points', async () => {
    const classes = files.flatMap(
      ({ text }) => text.match(/\bclass \w+(?= (?:extends .*)?\{$)/gm) ?? [],
    )
    const named = ['App', 'ConfigError', 'HttpError', 'TestApp', 'Database']
    for (const name of named) {
      expect(classes.filter((each) => each === `class ${name}`)).toEqual([`class ${name}`])
    }
    const code = `
      import { ConfigError } from 'blazon'
      import { TestApp } from 'blazon/testing'
      const error = await TestApp.create({ controllers: [class NoController {}] }).catch((error) => error)
      console.log(error instanceof ConfigError)`
    expect(await outputOf(code)).toBe('true')
  })

  it('contains the code that compiles applications only in chunks/app.js', () => {
    const chunksWith = (name: string) =>
      files.filter(({ text }) => text.includes(`function ${name}(`)).map(({ path }) => path)
    expect(chunksWith('compileModel')).toEqual(['chunks/app.js'])
    expect(chunksWith('compileRoute')).toEqual(['chunks/app.js'])
  })

  it('contains only ASCII characters, so that V8 stores each in one byte', () => {
    expect(files.filter(({ text }) => /[^\0-\x7f]/.test(text)).map(({ path }) => path)).toEqual([])
  })

  it('contains no `import()` in large files, because tsx would rewrite these files at each start', () => {
    const withImports = files.filter(({ text }) => text.includes('import('))
    expect(withImports.map(({ path }) => path)).toContain('chunks/app-imports.js')
    expect(withImports.filter(({ text }) => text.length > 50_000)).toEqual([])
  })

  it('imports no `node:` module, and no package that commonjs.cjs requires', () => {
    const specifiers = files.flatMap(({ path, text }) => specifiersOf(parse(path, text)))
    expect(specifiers).toContain('@needle-di/core')
    expect(specifiers.filter((each) => each.startsWith('node:'))).toEqual([])
    const shim = readFileSync(join(dist, 'commonjs.cjs'), 'utf8')
    const required = [...shim.matchAll(/^exports\.\w+ = (?:itself\()?require\('(.+?)'\)/gm)].map(
      ([, name]) => name as string,
    )
    expect(required).toContain('express/lib/request.js')
    expect(specifiers.filter((each) => required.includes(each))).toEqual([])
  })
})

describe('an application', () => {
  /** The packages that every application loads. */
  const needed = ['@needle-di/core', 'express', 'find-my-way', 'secure-json-parse']
  const project = new Project(needed)
  afterAll(() => project.remove())

  it('loads no package that it does not use', async () => {
    // A copy, because Node would follow a link to the folder of all packages.
    const copy = project.path('bare/node_modules/blazon')
    cpSync(folder, copy, { recursive: true })
    const start = (security: object) =>
      project.write({
        'bare/main.mjs': `
          import { createRequire } from 'node:module'
          import { App, Controller, Get } from 'blazon'
          class Users { list() { return [1] } }
          Get()(Users.prototype, 'list', Object.getOwnPropertyDescriptor(Users.prototype, 'list'))
          Controller('users')(Users)
          const app = await App.create({ controllers: [Users], security: ${JSON.stringify(security)} })
          const { port } = await app.listen(0, '127.0.0.1')
          const answers = ['users', 'api-docs.json'].map((path) => fetch('http://127.0.0.1:' + port + '/' + path))
          console.log((await Promise.all(answers)).map(({ status }) => status).join())
          // Parsers of bodies: only \`express\` as a whole needs them.
          const { cache } = createRequire(import.meta.url)
          const loaded = Object.keys(cache).map((path) => path.match(/.*node_modules.([^\\\\/]+)/)?.[1])
          console.log(['express', 'body-parser', 'serve-static'].filter((name) => loaded.includes(name)).join())
          await app.close()`,
      })
    const main = () => run(process.execPath, [project.path('bare/main.mjs')])
    start({ helmet: false })
    expect((await main()).stdout.trim()).toBe('200,200\nexpress')
    start({})
    await expect(main()).rejects.toThrow("Cannot find package 'helmet'")
    start({ helmet: false, cors: true })
    await expect(main()).rejects.toThrow("Cannot find package 'cors'")
  })
})
