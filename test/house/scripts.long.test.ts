import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { isWindows } from '../platform.js'
import { root } from '../root.js'

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const commands = Object.values(scripts).flatMap((script) => script.split(' && '))

/** A program that prints when it runs and which signal ends it. Without a signal it ends after 30 seconds. */
const PROGRAM = `
setTimeout(() => {}, 30_000)
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    console.log('ended by ' + signal)
    process.exit(0)
  })
}
console.log('runs')`

describe('the scripts of package.json', () => {
  it.each([
    'lint',
    'format',
    'typecheck',
    'types',
    'unit',
    'test',
    'docs',
    'docs:build',
    'docs:api',
  ])('include %s', (name) => {
    expect(scripts).toHaveProperty(name)
  })

  it('start the last of several programs with `exec`', () => {
    const several = Object.values(scripts).filter((script) => script.includes(' && '))
    expect(several.length).toBeGreaterThan(10)
    expect(several.filter((script) => !/ && exec [^&]+$/.test(script))).toEqual([])
  })

  it('name only files and folders that exist', () => {
    const named = commands.flatMap((command) => command.match(/[\w.-]+\/[\w./-]+/g) ?? [])
    const made = /^dist\//
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((path) => !made.test(path) && !existsSync(join(root, path)))).toEqual([])
  })

  it('name only scripts that exist', () => {
    const named = commands.flatMap((command) => /npm run ([\w:]+)/.exec(command)?.[1] ?? [])
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })

  it.skipIf(isWindows).each(['SIGINT', 'SIGTERM'] as const)(
    'pass %s to the program that npm start runs',
    async (signal) => {
      const folder = mkdtempSync(join(tmpdir(), 'blazon-scripts-'))
      try {
        // The script itself, with other programs.
        const start = scripts.start
          ?.replace('scripts/run.mjs example', '--version')
          .replace(/examples\/.*/, 'program.mjs')
        expect(start).toBe('node --version && exec node program.mjs')
        const manifest = { name: 'signals', version: '1.0.0', scripts: { start } }
        writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
        writeFileSync(join(folder, 'program.mjs'), PROGRAM)
        expect(await linesUntilEnd(folder, signal)).toContain(`ended by ${signal}`)
      } finally {
        rmSync(folder, { recursive: true })
      }
    },
  )
})

/** Runs `npm start`, sends a signal to npm when the program runs, and returns what the program printed. */
async function linesUntilEnd(cwd: string, signal: NodeJS.Signals): Promise<string[]> {
  const npm = spawn('npm', ['start'], { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
  const lines: string[] = []
  const output = createInterface({ input: npm.stdout })
  output.on('line', (line) => {
    lines.push(line)
    if (line === 'runs') npm.kill(signal)
  })
  await once(output, 'close')
  return lines
}
