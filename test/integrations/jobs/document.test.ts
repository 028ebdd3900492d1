import { App, Controller, Get, type Plugin } from 'blazon'
import { defineJob, type JobsOptions, jobs } from 'blazon/jobs'
import { postgres } from 'blazon/postgres'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { startPgliteFromTemplate } from '../../pglite-template.js'

startPgliteFromTemplate()

const Address = z.object({ city: z.string() }).meta({ id: 'Address' })
const Letter = defineJob('letter', {
  input: z.object({ to: Address, copies: z.number().default(1), at: z.coerce.date() }),
})
const Sweep = defineJob('sweep')

@Controller('addresses')
class Addresses {
  @Get()
  list() {
    return []
  }
}

function documentOf(options: Partial<JobsOptions>, openapi: '3.0' | '3.1' = '3.0') {
  return new App({
    controllers: [Addresses],
    swagger: { openapi },
    logger: false,
    plugins: [postgres({ embedded: 'memory' }), jobs({ workers: [], ...options })],
  }).document
}

it('x-jobs lists the jobs in the `documented` option of jobs(), with named schemas as components', () => {
  for (const openapi of ['3.0', '3.1'] as const) {
    const document = documentOf({ documented: [Letter, Sweep] }, openapi)
    expect(document['x-jobs']).toEqual({
      letter: {
        input: {
          type: 'object',
          properties: {
            to: { $ref: '#/components/schemas/Address' },
            copies: { type: 'number', default: 1 },
            at: expect.anything(),
          },
          required: expect.arrayContaining(['to']),
        },
      },
      sweep: {},
    })
    expect(Object.keys(document.components.schemas ?? {})).toContain('Address')
  }
})

it('jobs() adds nothing to the document by default', () => {
  expect(Object.keys(documentOf({}))).not.toContain('x-jobs')
})

it('jobs() refuses a `documented` option that is not a list', () => {
  expect(() => documentOf({ documented: 'letter' as never })).toThrow('jobs(): documented')
})

it('boot refuses a plugin whose document additions are a promise', async () => {
  const plugin = { name: 'late', document: async () => ({ 'x-late': 1 }) } as unknown as Plugin
  const app = new App({ controllers: [Addresses], plugins: [plugin], logger: false })
  await expect(app.init()).rejects.toThrow(/plugin 'late', document/)
})
