import { randomUUID } from 'node:crypto'
import { Body, Controller, Get, HttpCode, Post, requireTenantId, Tenant } from 'blazon'
import { type IsolationOptions, TestApp } from 'blazon/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const Visit = z.object({ patient: z.uuid(), day: z.iso.date(), minutes: z.int().min(0) })

type VisitRow = z.output<typeof Visit> & { readonly id: string; readonly tenant: string }
type Shown = Partial<VisitRow>
/** What a list shows of each row. */
type Show = (row: VisitRow) => Shown

let rows: VisitRow[] = []
beforeEach(() => {
  rows = []
})

/** Visits of tenants, whose list filters by the tenant or does not. */
function visits(isLeaky: boolean, show: Show) {
  @Tenant()
  @Controller('visits')
  class VisitsController {
    @Post()
    @HttpCode(201)
    @Body(Visit)
    add({ body }: { body: z.output<typeof Visit> }) {
      const row = { ...body, id: randomUUID(), tenant: requireTenantId() }
      rows.push(row)
      return show(row)
    }

    @Get()
    list() {
      return rows
        .filter(({ tenant }) => isLeaky || tenant === requireTenantId())
        .slice(-50)
        .map(show)
    }
  }
  return VisitsController
}

async function prove(controller: new () => object, how: IsolationOptions = {}) {
  await using app = await TestApp.create({ controllers: [controller], tenant: {}, logger: false })
  const report = await app.proveIsolation({ seed: 1, rounds: 1, ...how })
  const of = (name: string) => report.verdicts.find(({ operationId }) => operationId.endsWith(name))
  return { report, list: of('_list'), add: of('_add') }
}

const SHOWN: readonly (readonly [string, Show])[] = [
  ['generated ids', ({ id }) => ({ id })],
  ['client-sent UUIDs', ({ patient }) => ({ patient })],
  ['dates', ({ day }) => ({ day })],
  ['numbers', ({ minutes }) => ({ minutes })],
]

describe('rows without free text', () => {
  it.each(SHOWN)('are reported as a leak if a list shows %s of other tenants', async (_, show) => {
    const { report, list } = await prove(visits(true, show))
    expect(list?.verdict).toBe('LEAK')
    expect(report.leaks).toContainEqual(
      expect.objectContaining({ kind: 'response', origin: 'POST /visits' }),
    )
  })

  it.each(SHOWN)('pass if a list shows only %s of its own tenant', async (_, show) => {
    const { report, list, add } = await prove(visits(false, show))
    expect(report.leaks).toEqual([])
    expect([list?.verdict, add?.verdict]).toEqual(['PASS', 'PASS'])
  })
})

describe('a value that does not identify a tenant', () => {
  it('can be an id that several tenants receive', async () => {
    const plan = randomUUID()

    @Tenant()
    @Controller('plans')
    class PlansController {
      @Post()
      choose() {
        return { id: plan }
      }

      @Get()
      list() {
        return [{ id: plan }]
      }
    }
    const { report, list } = await prove(PlansController)
    expect(report.leaks).toEqual([])
    expect(list?.verdict).toBe('INCONCLUSIVE')
  })

  it('is sent if the application rejects unique values', async () => {
    const Narrow = z.object({ text: z.string(), day: z.iso.date(), count: z.int() })

    @Tenant()
    @Controller('plans')
    class PlansController {
      @Post()
      @Body(Narrow.refine(({ count }) => count < 1_000_000, 'Too many'))
      add({ body: { text } }: { body: z.output<typeof Narrow> }) {
        return { text }
      }
    }
    const { report, add } = await prove(PlansController)
    expect(report.leaks).toEqual([])
    expect(add?.verdict).toBe('PASS')
  })
})
