import { Auth, Controller, Get, Post } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'
import { Audit, type AuditLine, auditing } from './index.js'

@Controller('orders')
class Orders {
  @Get()
  list() {
    return []
  }

  @Auth()
  @Audit({ action: 'order.pay', closedIn: ['NO'] })
  @Post(':id/payment')
  pay() {
    return 'paid'
  }
}

async function start() {
  const lines: AuditLine[] = []
  const app = await TestApp.create({
    controllers: [Orders],
    auth: { guard: { canActivate: (req) => req.get('authorization') !== undefined } },
    plugins: [auditing((line) => lines.push(line))],
    contract: 'throw',
  })
  return { app, lines }
}

describe('the @Audit decorator', () => {
  it('writes an audit line for each request to its route, including refused requests', async () => {
    const { app, lines } = await start()
    await using _ = app
    app.clock.set('2030-01-31')
    const pay = () => app.request().post('/orders/1/payment')
    await app.request().get('/orders').expect(200)
    await pay().expect(401)
    const { headers } = await pay().set('authorization', 'x').expect(200)
    await pay().set({ authorization: 'x', 'x-country': 'NO' }).expect(451)
    const facts = { action: 'order.pay', at: new Date('2030-01-31'), outcome: 'sent' }
    expect(lines).toEqual([
      { ...facts, id: 'refused', status: 401 },
      { ...facts, id: headers['x-audit-id'], status: 200 },
      { ...facts, id: 'refused', status: 451 },
    ])
  })

  it('adds its status and its header only to the document of its routes', async () => {
    const { app } = await start()
    await using _ = app
    const { paths } = app.document
    const pay = JSON.stringify(paths['/orders/{id}/payment']?.post?.responses)
    expect(pay).toContain('"451"')
    expect(pay).toContain('X-Audit-Id')
    expect(JSON.stringify(paths['/orders'])).not.toContain('X-Audit-Id')
  })

  it('refuses an invalid action at boot', async () => {
    @Controller('orders')
    class Wrong {
      @Audit({ action: 'pay' })
      @Get()
      list() {}
    }
    const [problem] = await bootProblems({ controllers: [Wrong] })
    expect(problem).toMatchObject({ code: 'E_OPTION_INVALID' })
    expect(problem?.cause).toContain('Its action is not like a.b.')
  })
})
