import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Block, blocksOf, documents, root } from './markdown.js'
import { clear, outputOf, runTypeScript, writeBlock, writeConfig } from './snippets.js'

const blocks = documents().flatMap(blocksOf)
const isLegacy = ({ info }: Block) => info === 'ts legacy'
const isTypeScript = ({ info }: Block) => info === 'ts' || info.startsWith('ts ')

describe.each(['standard', 'legacy'] as const)(
  'code in the documents, %s decorators',
  (dialect) => {
    const folder = `types-${dialect}`
    const selected = blocks.filter(
      (block) => isTypeScript(block) && isLegacy(block) === (dialect === 'legacy'),
    )

    beforeAll(() => {
      clear(folder)
      for (const block of selected) writeBlock(folder, block)
    })

    it('compiles under strict', async () => {
      expect(selected).not.toEqual([])
      const tsc = join(root, 'node_modules/typescript/bin/tsc')
      const config = writeConfig(folder, dialect)
      expect(await outputOf(spawn(process.execPath, [tsc, '-p', config], { cwd: root }))).toBe('')
    })
  },
)

describe('programs in the documents', () => {
  const programs = blocks.flatMap((block, index) => {
    const next = blocks[index + 1]
    return block.info === 'ts run' && next?.info === 'text' ? [{ block, output: next.text }] : []
  })

  const files = new Map<Block, string>()
  let outputs: Map<string, string>

  beforeAll(async () => {
    for (const { block } of programs) {
      const folder = `run-${block.document.replace(/\W/g, '-')}-${block.line}`
      clear(folder)
      files.set(block, writeBlock(folder, block))
    }
    const config = writeConfig('run', 'standard')
    const child = runTypeScript(join(root, 'test/docs/run-programs.ts'), {
      config,
      args: [...files.values()],
    })
    const lines = (await outputOf(child)).trim().split('\n')
    outputs = new Map(
      lines.map((line) => {
        const { program, output } = JSON.parse(line)
        return [program, output]
      }),
    )
  })

  it.each(programs)(
    '$block.document line $block.line prints the output that the document shows',
    ({ block, output }) => {
      expect(outputs.get(files.get(block) as string)?.trim()).toBe(output.trim())
    },
  )
})
