import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runsJobs } from '../integrations/jobs/support.js'
import { type Block, blocksOf, documents, root } from './markdown.js'
import {
  clear,
  outputOf,
  pathsOfBuild,
  runTypeScript,
  writeBlock,
  writeConfig,
} from './snippets.js'

const blocks = documents().flatMap(blocksOf)
const isLegacy = ({ info }: Block) => info === 'ts legacy'
const isTypeScript = ({ info }: Block) => info === 'ts' || info.startsWith('ts ')

describe.each(['standard', 'legacy'] as const)(
  'code in the documents with %s decorators',
  (dialect) => {
    const folder = `types-${dialect}`
    const selected = blocks.filter(
      (block) => isTypeScript(block) && isLegacy(block) === (dialect === 'legacy'),
    )

    beforeAll(() => {
      clear(folder)
      for (const block of selected) writeBlock(folder, block)
    })

    it('compiles with `strict`', async () => {
      expect(selected).not.toEqual([])
      const tsc = join(root, 'node_modules/typescript/bin/tsc')
      const config = writeConfig(folder, dialect, pathsOfBuild('.d.ts'))
      expect(await outputOf(spawn(process.execPath, [tsc, '-p', config], { cwd: root }))).toBe('')
    })
  },
)

describe('a program in the documents', () => {
  const programs = blocks
    .flatMap((block, index) => {
      const next = blocks[index + 1]
      return block.info === 'ts run' && next?.info === 'text' ? [{ block, output: next.text }] : []
    })
    .filter(({ block }) => runsJobs || !block.text.includes("'blazon/jobs'"))

  const files = new Map<Block, string>()
  for (const { block } of programs) {
    const folder = `run-${block.document.replace(/\W/g, '-')}-${block.line}`
    clear(folder)
    files.set(block, writeBlock(folder, block))
  }
  const config = writeConfig('run', 'standard', pathsOfBuild())

  /** Runs programs one after the other. Returns what each has printed. */
  async function run(args: string[]): Promise<Map<string, string>> {
    const runner = join(root, 'test/docs/run-programs.ts')
    const lines = (await outputOf(runTypeScript(runner, { config, args }))).trim().split('\n')
    return new Map(
      lines.map((line) => {
        // A program whose end was not noticed writes lines of its own.
        const { program, output = '' } = JSON.parse(line)
        return [program, output.trim()]
      }),
    )
  }

  // They run while the compiler checks.
  const running = run([...files.values()])
  let outputs: Map<string, string>

  beforeAll(async () => {
    outputs = await running
  })

  it.each(programs)(
    'prints the output that the document shows: $block.document, line $block.line',
    async ({ block, output }) => {
      const file = files.get(block) as string
      if (outputs.get(file) === output.trim()) return
      // A busy machine may be slower than a limit, such as the 50 ms for Redis. What is wrong is wrong again.
      const again = await run([file])
      expect(again.get(file)).toBe(output.trim())
    },
  )
})
