import { expect, it, onTestFinished, vi } from 'vitest'
import { Project } from '../cli/project.js'
import { blocksOf } from './markdown.js'

const PAGE = 'docs/environment.md'
const blocks = blocksOf(PAGE)

function blockNamed(name: string): string {
  const block = blocks.find(({ text }) => text.startsWith(`${name}\n`))
  if (block === undefined) throw new Error(`${PAGE} shows no ${name}.`)
  return block.text
}

it('docs/environment.md shows the real output of `blazon config` and the .env.example that it writes', async () => {
  const project = new Project(['tsx', 'zod']).write({
    'package.json': { type: 'module' },
    'env.ts': blockNamed('// env.ts'),
    'app.ts': blockNamed('// app.ts'),
    '.env': 'LOG_LEVEL=debug\nDATABASE_URL=postgres://canary/orders\n',
  })
  onTestFinished(() => {
    project.remove()
    vi.unstubAllEnvs()
  })
  vi.stubEnv('NODE_ENV', '')
  for (const name of ['PORT', 'LOG_LEVEL', 'DATABASE_URL', 'MAIL_TOKEN'])
    vi.stubEnv(name, undefined)
  const [block] = blocks.filter(({ info }) => info === 'console')
  const exchanges = (block?.text ?? '').split(/^\$ npx blazon /m).slice(1)
  expect(exchanges).toHaveLength(2)
  for (const exchange of exchanges) {
    const [command = '', ...shown] = exchange.trimEnd().split('\n')
    const { stdout, stderr } = await project.run(command.split(' '))
    expect(`${stdout}${stderr}`.trimEnd()).toBe(shown.join('\n'))
  }
  const example = blockNamed('# .env.example').replace('# .env.example\n', '')
  expect(project.read('.env.example').trimEnd()).toBe(example.trimEnd())
})
