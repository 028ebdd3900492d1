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

  it.each(programs)('$block.document line $block.line prints what it says', async (program) => {
    const { block, output } = program
    const folder = `run-${block.document.replace(/\W/g, '-')}-${block.line}`
    clear(folder)
    const child = runTypeScript(writeBlock(folder, block), {
      config: writeConfig(folder, 'standard'),
    })
    expect((await outputOf(child)).trim()).toBe(output.trim())
  })
})
