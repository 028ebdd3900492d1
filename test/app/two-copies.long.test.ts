import { execFile } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { builtPackage } from '../cli/built-package.js'
import { Project } from '../cli/project.js'
import { root } from '../root.js'

const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** `shared` is a package of a workspace with a copy of its own. */
const project = new Project(['tsx', 'zod', ...Object.keys(dependencies)]).write({
  'package.json': { type: 'module' },
  'shared/controller.ts': `
    import { Controller, fileResponse, Get } from 'blazon'
    @Controller('files')
    export class FilesController {
      @Get() file() {
        return fileResponse(import.meta.filename)
      }
    }
  `,
  'shared/values.ts': `export { fileResponse, sseComment } from 'blazon'`,
  'shared/plugin.ts': `
    import { Refusal } from 'blazon/plugin'
    export const closed = {
      name: 'closed',
      steps: () => ({ beforeGuard: () => () => Refusal.of(503, 'Closed') }),
    }
  `,
  'own/controller.ts': `
    import { Controller, Get } from 'blazon'
    import { fileResponse } from '../shared/values.js'
    @Controller('files')
    export class FilesController {
      @Get() file() {
        return fileResponse(import.meta.filename)
      }
    }
  `,
  'main.ts': `
    import { App } from 'blazon'
    const [, , controllerFile, pluginFile] = process.argv
    const load = async (file) => Object.values(await import(file))
    const controllers = await load(controllerFile)
    const plugins = pluginFile === undefined ? [] : await load(pluginFile)
    const app = new App({ controllers, plugins, logger: false })
    try {
      const { status } = await app.fetch(new Request('http://localhost/files'))
      console.log(JSON.stringify({ status }))
    } catch (error) {
      console.log(JSON.stringify(error.problems ?? String(error)))
    }
    await app.close().catch(() => {})
  `,
})
const copy = project.path('shared/node_modules/blazon')
cpSync(builtPackage(), copy, { recursive: true })
afterAll(() => project.remove())

async function run(...files: readonly string[]) {
  const args = ['--import', 'tsx', 'main.ts', ...files.map((file) => project.path(file))]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project.folder })
  return JSON.parse(stdout)
}

it.each([
  ['a controller', ['shared/controller.ts']],
  ['a value that a handler returns', ['own/controller.ts']],
  ['a plugin', ['own/controller.ts', 'shared/plugin.ts']],
])('an application with %s from another copy of the package does not start', async (_, files) => {
  const problems = await run(...files)
  expect(problems).toMatchObject([{ code: 'E_PACKAGE_TWICE', subject: 'blazon' }])
  expect(problems[0].cause).toContain(copy)
  expect(problems[0].cause).toContain(builtPackage())
})
