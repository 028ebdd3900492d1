import {
  ApiResponseDoc,
  Body,
  Controller,
  Get,
  HttpCode,
  type Plugin,
  Post,
  type Request,
  requireTenantId,
  Tenant,
} from 'blazon'
import type { PluginSteps } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Note, Notes } from './notes.js'
import { tightControllers } from './tight-app.js'

const TENANTS = ['acme', 'globex']

async function prove(steps: () => PluginSteps) {
  const plugin: Plugin = { name: 'own', steps }
  await using app = await TestApp.create({
    controllers: tightControllers(),
    tenant: {},
    plugins: [plugin],
    contract: 'off',
  })
  return await app.proveIsolation({ tenants: TENANTS, seed: 1, rounds: 2 })
}

const LEAKING: [string, () => PluginSteps][] = [
  [
    'that caches results of the handler under only the path',
    () => {
      const known = new Map<string, unknown>()
      return {
        aroundHandler: (next) => async (req, res) => {
          const key = `${req.method} ${req.baseUrl}${req.path}`
          if (req.method === 'GET' && known.has(key)) return known.get(key)
          const result = await next(req, res)
          known.set(key, result)
          return result
        },
      }
    },
  ],
  [
    'that sets a header to data of the previous request',
    () => {
      let last = ''
      return {
        onResponse(req, res) {
          if (last !== '') res.setHeader('X-Last', last)
          const text: unknown = req.body?.text
          if (typeof text === 'string') last = Buffer.from(text).toString('latin1')
        },
      }
    },
  ],
]

describe('proveIsolation() on an application with steps from plugins', () => {
  it.each(LEAKING)('detects a step %s', async (_, steps) => {
    // Each route has steps of its own; one object for all of them is what a careless plugin has.
    const shared = steps()
    const { leaks, verdicts } = await prove(() => shared)
    expect(leaks.length).toBeGreaterThan(0)
    expect(verdicts.some(({ verdict }) => verdict === 'LEAK')).toBe(true)
  })

  it('reports no leak for steps that isolate the data of tenants', async () => {
    const known = new Map<string, unknown>()
    const { leaks, verdicts } = await prove(() => ({
      aroundHandler: (next) => async (req, res) => {
        const result = await next(req, res)
        known.set(`${req.method} ${req.url}`, result)
        return result
      },
      onResponse: (_req, res) => void res.setHeader('X-Kept', known.size),
    }))
    expect(leaks).toEqual([])
    expect(verdicts.some(({ verdict }) => verdict === 'PASS')).toBe(true)
    expect(verdicts.some(({ verdict }) => verdict === 'LEAK')).toBe(false)
    expect(known.size).toBeGreaterThan(0)
  })
})

const Shown = z.object({ id: z.int(), text: z.string() })

/** A list of the tenant's own notes, with the notes of all tenants in a field that the schema does not name. */
function careless(schema: z.ZodType) {
  const notes = new Notes()
  const all: object[] = []

  @Tenant()
  @Controller('notes')
  class CarelessController {
    @Post()
    @Body(Note)
    @ApiResponseDoc({ status: 201, schema: Shown })
    @HttpCode(201)
    async add(req: Request) {
      const note = await notes.add(requireTenantId(), req.body.text)
      all.push(note)
      return note
    }

    @Get()
    @ApiResponseDoc({ status: 200, schema: z.array(schema) })
    async list() {
      return (await notes.of(requireTenantId())).map((note) => ({ ...note, all }))
    }
  }
  return CarelessController
}

describe("proveIsolation() with responses: 'strip'", () => {
  const verdictOf = async (responses: 'send' | 'strip', schema: z.ZodType) => {
    const controllers = [careless(schema)]
    await using app = await TestApp.create({ controllers, tenant: {}, responses, contract: 'off' })
    const { verdicts } = await app.proveIsolation({ tenants: TENANTS, seed: 1, rounds: 1 })
    return verdicts.find(({ operation }) => operation === 'GET /notes')?.verdict
  }

  it('ignores data of other tenants that is removed before sending, and finds data that is sent', async () => {
    expect(await verdictOf('strip', Shown)).toBe('PASS')
    expect(await verdictOf('send', Shown)).toBe('LEAK')
    expect(await verdictOf('strip', Shown.extend({ all: z.array(Shown) }))).toBe('LEAK')
  })
})
