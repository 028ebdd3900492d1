import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { FOLDER, pathsOfBuild, writeConfig } from '../docs/snippets.js'
import { root } from '../root.js'

const BODY =
  'z.object({ name: z.string(), amount: z.int(), tags: z.array(z.string()), note: z.string().optional() })'
const RESULT =
  '{ id: params.id, total: body.amount + body.tags.length, name: body.name, note: body.note ?? null }'
const SENT =
  'z.object({ id: z.string(), total: z.number(), name: z.string(), note: z.string().nullable() })'
const HEAD = `import { Controller, Post, post } from 'blazon'
import { z } from 'zod'
const Id = z.object({ id: z.string() })
`

/** The instantiations of a program with so many routes or functions. */
function instantiationsOf(name: string, member: (index: number) => string, count: number): number {
  const config = writeConfig(name, 'standard', pathsOfBuild('.d.ts'))
  const indices = Array.from({ length: count }, (_, index) => index)
  const schemas = indices.map(
    (index) => `const Body${index} = ${BODY}\nconst Result${index} = ${SENT}`,
  )
  const members = indices.map(member)
  const file = join(FOLDER, name, 'routes.ts')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(
    file,
    `${HEAD}${schemas.join('\n')}
@Controller() export class Routes {
${members.join('\n')}
}
export const used = [post, Post]
`,
  )
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const out = execFileSync(process.execPath, [
    tsc,
    '--singleThreaded',
    '-p',
    config,
    '--extendedDiagnostics',
  ])
  return Number(/^Instantiations:\s+(\d+)/m.exec(String(out))?.[1])
}

const costOf = (name: string, member: (index: number) => string) =>
  (instantiationsOf(name, member, 60) - instantiationsOf(name, member, 20)) / 40

const HANDLER = `({ params, body }) => (${RESULT})`
const PARTS = (k: number) => `params: z.infer<typeof Id>, body: z.infer<typeof Body${k}>`

const functions = costOf('cost-of-schemas', (k) => `m${k}(${PARTS(k)}) { return ${RESULT} }`)
const typed = costOf(
  'cost-of-results',
  (k) => `m${k}(${PARTS(k)}): z.infer<typeof Result${k}> { return ${RESULT} }`,
)

it.each([
  {
    route: 'a field route',
    most: 150,
    alone: functions,
    member: (k: number) => `m${k} = post('/:id/${k}', { params: Id, body: Body${k} }, ${HANDLER})`,
  },
  {
    route: 'a field route with `returns`',
    most: 200,
    alone: typed,
    member: (k: number) =>
      `m${k} = post('/:id/${k}', { params: Id, body: Body${k}, returns: Result${k} }, ${HANDLER})`,
  },
  {
    route: 'a decorated route with `returns`',
    most: 400,
    alone: typed,
    member: (k: number) =>
      `@Post(':id/${k}', { params: Id, body: Body${k}, returns: Result${k} })
       m${k}({ params, body }: { ${PARTS(k).replace(',', ';')} }) { return ${RESULT} }`,
  },
])('$route costs the compiler at most $most instantiations in addition to its schemas', (each) => {
  const cost = costOf('cost-of-routes', each.member) - each.alone
  expect(each.alone).toBeGreaterThan(50)
  expect(cost).toBeGreaterThan(50)
  expect(cost).toBeLessThanOrEqual(each.most)
})
