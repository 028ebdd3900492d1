import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createProgram } from '../../src/cli/program.js'
import { Project } from '../cli/project.js'
import { useFastTsx } from '../cli/use-fast-tsx.js'
import { blocksOf, read, root } from './markdown.js'
import { outputOf } from './snippets.js'

const PAGE = 'docs/cli.md'
const blocks = blocksOf(PAGE)
const APP = blockNamed('src/app.ts')

function blockNamed(name: string): string {
  const block = blocks.find(({ text }) => text.startsWith(`// ${name}\n`))
  if (block === undefined) throw new Error(`${PAGE} shows no ${name}.`)
  return block.text
}

let project: Project
beforeEach(() => {
  project = useFastTsx(new Project(['zod', 'typescript', '@types/node'])).write({
    'package.json': { type: 'module' },
    'tsconfig.json': {
      compilerOptions: {
        target: 'es2022',
        module: 'nodenext',
        strict: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: true,
        noEmit: true,
        types: ['node'],
      },
    },
    'src/app.ts': APP,
  })
})
afterEach(() => project.remove())

/** The `$ npx blazon …` lines of a block, each with what is shown under it. */
function exchanges(text: string): { command: string; shown: string }[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((exchange) => {
      const [command = '', ...shown] = exchange.split('\n')
      return { command, shown: shown.join('\n').trimEnd() }
    })
    .filter(({ command }) => command.startsWith('npx blazon '))
}

/** The application, with a route that has every field: it names its guard and is signed. */
const withAllFields = (app: string) =>
  app
    .replace('import {', 'import { Auth, githubWebhooks, Post, Webhook,')
    .replace("@Get(':id'", `@Auth('key') @Webhook(githubWebhooks('${'s'.repeat(32)}')) @Post(':id'`)
    .replace('new App({', 'new App({ auth: { guards: { key: () => null } },')

/** Sizes are another matter. */
const steady = (text: string) => text.replace(/[\d.]+ k?B/g, '<size>')

async function runAll(text: string): Promise<void> {
  const all = exchanges(text)
  expect(all).not.toEqual([])
  for (const { command, shown } of all) {
    const { stdout, stderr } = await project.run(command.split(' ').slice(2))
    expect({ command, shown: steady(`${stdout}${stderr}`.trimEnd()) }).toEqual({
      command,
      shown: steady(shown),
    })
  }
}

const consoles = blocks.filter(({ info }) => info === 'console')

/** The block that runs a command. */
function consoleOf(command: string): string {
  return consoles.find(({ text }) => text.includes(`$ npx blazon ${command}`))?.text ?? ''
}

describe('docs/cli.md', () => {
  it('shows the real output of `openapi export`, and code for its client that compiles', async () => {
    await runAll(consoleOf('openapi export --client'))
    project.write({ 'src/greet.ts': blockNamed('src/greet.ts') })
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const child = spawn(process.execPath, [tsc, '--pretty', 'false'], { cwd: project.folder })
    expect(await outputOf(child)).toBe('')
  })

  it('shows the real output of `openapi diff` after a change to the application', async () => {
    await project.run(['openapi', 'export'])
    const released = JSON.parse(project.read('openapi.json'))
    project.write({
      'released.json': released,
      'src/app.ts': APP.replace('.optional()', '').replace(
        'name: z.string()',
        'name: z.string(), email: z.string()',
      ),
    })
    await runAll(consoleOf('openapi diff'))
  })

  it('shows the files that `add controller` creates, and the lines to paste', async () => {
    await runAll(consoleOf('add controller'))
  })

  it('shows the real explanation of a route, and lists all its fields', async () => {
    await runAll(consoleOf('routes --explain'))
    project.write({ 'src/app.ts': withAllFields(APP) })
    const { stdout, stderr } = await project.run(['routes', '--explain', '/users/{id}', '--json'])
    expect(stderr).toBe('')
    const table = /^\| Field .*?\n\n/ms.exec(read(PAGE))?.[0] ?? ''
    const rows = table
      .split('\n')
      .slice(2)
      .map((row) => row.split(' | ')[0] ?? '')
    const fields = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name))
    expect(fields.sort()).toEqual(Object.keys(JSON.parse(stdout)).sort())
  })

  it('lists exactly the options of each command', () => {
    const streams = { out() {}, err() {}, note() {} }
    const documented = [
      ...read(PAGE).matchAll(/^\| `(--[a-z-]+(?: [<[][a-z]+(?:\.{3})?[>\]])?)` +\|/gm),
    ]
    const flags = (command: Command): string[] => [
      ...command.options.map((option) => option.flags).filter((each) => !each.startsWith('-V')),
      ...command.commands.flatMap(flags),
    ]
    const program = createProgram({ cwd: root, streams })
    expect(new Set(documented.map(([, name]) => name))).toEqual(new Set(flags(program)))
  })

  it('lists the same exit statuses as the help of the command line', () => {
    const statuses = [...read(PAGE).matchAll(/^\| (\d) +\|/gm)].map(([, status]) => status)
    const source = readFileSync(join(root, 'src/cli/program.ts'), 'utf8')
    expect(statuses).toEqual([...source.matchAll(/^ {2}(\d) {2}/gm)].map(([, status]) => status))
  })
})
