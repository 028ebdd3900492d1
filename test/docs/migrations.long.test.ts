import { afterAll, expect, it } from 'vitest'
import { Project } from '../cli/project.js'
import { runInProcess } from '../cli/run-in-process.js'
import { startPgliteFromTemplate } from '../pglite-template.js'
import { blocksOf } from './markdown.js'

startPgliteFromTemplate()

const project = new Project([]).write({ 'migrations/README.md': '' })
afterAll(() => project.remove())

/** Times are another matter. */
const steady = (text: string) => text.replace(/\d+ ms/g, '<ms>').replace(/\d{4}-\S+Z/g, '<time>')

it('docs/migrations.md shows the real output of its commands', async () => {
  const [block] = blocksOf('docs/migrations.md').filter(({ info }) => info === 'console')
  const exchanges = (block?.text ?? '').split(/^\$ npx blazon /m).slice(1)
  expect(exchanges).toHaveLength(5)
  for (const exchange of exchanges) {
    const [line = '', ...shown] = exchange.split('\n')
    const [command = '', file] = line.split(' > ')
    const args = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word)
    const { stdout, stderr } = await runInProcess(args as string[], project.folder)
    if (file !== undefined) project.write({ [file]: stdout })
    const printed = `${file === undefined ? stdout : ''}${stderr}`
    expect(steady(printed.trimEnd())).toBe(steady(shown.join('\n').trimEnd()))
  }
})
