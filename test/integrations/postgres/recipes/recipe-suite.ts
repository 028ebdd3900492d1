import {
  ConflictError,
  Controller,
  Get,
  HttpCode,
  InjectionToken,
  inject,
  Post,
  type Provider,
  type Request,
  runWithTenant,
  Tenant,
} from 'blazon'
import { Database, postgres, TenantSwitchError, tenantTable } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeWithServer, Folder, type OwnDatabase, ownServerDatabase } from '../own-database.js'

/** The operations on the orders of a tenant that each library implements. */
export interface Orders {
  add(item: string): Promise<{ readonly id: string; readonly item: string }>
  /** The items, sorted. */
  list(): Promise<string[]>
  find(id: string): Promise<string | undefined>
  /** Returns the number of changed rows. */
  rename(from: string, to: string): Promise<number>
  /** Runs a function in a transaction of the library. */
  transaction<T>(fn: (orders: Pick<Orders, 'add' | 'list'>) => Promise<T>): Promise<T>
}

export const Orders = new InjectionToken<Orders>('Orders')

@Tenant()
@Controller('orders')
class OrdersController {
  readonly #orders = inject(Orders)
  readonly #db = inject(Database)

  @Get()
  list() {
    return this.#orders.list()
  }

  @Get(':id')
  async find({ params }: Request<{ id: string }>) {
    return { item: (await this.#orders.find(params.id)) ?? null }
  }

  @Post('renamed/:from/:to')
  async rename({ params }: Request<{ from: string; to: string }>) {
    return { count: await this.#orders.rename(params.from, params.to) }
  }

  @Post('failed/:item')
  async fail({ params }: Request<{ item: string }>) {
    await this.#orders.add(params.item)
    await this.#orders.transaction((orders) => orders.add(`${params.item}, in a transaction`))
    throw new Error('after the fact')
  }

  /** Rolls back an inner transaction alone, with the rows that it adds through the outer object or the `Database`. */
  @Post('nested/:item')
  async nest({ params: { item } }: Request<{ item: string }>) {
    await this.#orders.transaction(async (outer) => {
      await outer.add(`${item} 1`)
      await this.#orders
        .transaction(async (inner) => {
          await inner.add(`${item} 2, undone`)
          await this.#orders.add(`${item} 3, undone`)
          await this.#db.sql`insert into orders (item) values (${`${item} 4, undone`})`
          throw new Error('only this')
        })
        .catch(() => {})
      await this.#orders.add(`${item} 5`)
      await this.#db.transaction(() => this.#orders.add(`${item} 6`))
      await outer.add(`${item} 7`)
    })
  }

  @Post('again/:item')
  async addTwice({ params: { item } }: Request<{ item: string }>) {
    await this.#orders.add(item)
    await this.#orders
      .transaction((orders) => orders.add(item))
      .catch(() => {
        // The transaction of the request goes on.
      })
    return this.#orders.list()
  }

  @Post('elsewhere/:item')
  async addElsewhere({ params: { item } }: Request<{ item: string }>) {
    try {
      await this.#orders.transaction(() =>
        runWithTenant('other', async () => await this.#orders.add(item)),
      )
    } catch (error) {
      if (error instanceof TenantSwitchError) throw new ConflictError('Not of this tenant')
      throw error
    }
  }

  @Post(':item')
  @HttpCode(201)
  add({ params }: Request<{ item: string }>) {
    return this.#orders.add(params.item)
  }
}

/** The conformance suite of a library on top of the `Database`, on a server. */
export function describeRecipe(name: string, provider: Provider<Orders>): void {
  describeWithServer(`${name} on a server`, () => {
    let database: OwnDatabase
    let folder: Folder
    let app: TestApp

    beforeAll(async () => {
      database = await ownServerDatabase()
      const { tenantRole, allTenantsRole } = database
      const roles = { tenantRole, allTenantsRole }
      const columns = ['item text not null']
      const table = tenantTable('orders', { columns, unique: [['item']], id: 'uuid', ...roles })
      folder = new Folder({ '0001_orders.sql': table })
      app = await TestApp.create({
        controllers: [OrdersController],
        plugins: [postgres({ ...database.options, ...roles, migrations: folder.path })],
        providers: [provider],
        tenant: { authorize: () => true },
        contract: 'off',
      })
    })

    beforeEach(() =>
      app
        .get(Database)
        .withoutTenant('a new test', () => app.get(Database).sql`delete from orders`),
    )

    afterAll(async () => {
      await app?.close()
      folder?.[Symbol.dispose]()
      await database?.[Symbol.asyncDispose]()
    })

    const of = (tenant: string) => app.asTenant(tenant).request()
    const post = (tenant: string, path: string) => of(tenant).post(`/orders/${path}`)
    const list = async (tenant: string): Promise<string[]> =>
      (await of(tenant).get('/orders').expect(200)).body.data

    it('shows a tenant only its own rows', async () => {
      const added = await post('acme', 'tea').expect(201)
      await post('globex', 'tea').expect(201)
      await post('globex', 'rum').expect(201)
      expect(await list('acme')).toEqual(['tea'])
      expect(await list('globex')).toEqual(['rum', 'tea'])
      const { id } = added.body.data
      const item = async (tenant: string) => (await of(tenant).get(`/orders/${id}`)).body.data.item
      expect([await item('acme'), await item('globex')]).toEqual(['tea', null])
      const renamed = await post('acme', 'renamed/rum/gin')
      expect(renamed.body.data).toEqual({ count: 0 })
      expect((await post('globex', 'renamed/rum/gin')).body.data).toEqual({ count: 1 })
      expect(await list('globex')).toEqual(['gin', 'tea'])
    })

    it('shows eight tenants only their own rows with concurrent requests', async () => {
      const tenants = Array.from({ length: 8 }, (_value, index) => `tenant-${index}`)
      const ids = new Map<string, string>()
      for (const tenant of tenants) {
        const { body } = await post(tenant, `of ${tenant}`).expect(201)
        ids.set(tenant, body.data.id)
      }
      const asks = tenants.flatMap((tenant) =>
        [...ids].map(async ([owner, id]) => {
          const { body } = await of(tenant).get(`/orders/${id}`)
          expect([tenant, owner, body.data.item]).toEqual([
            tenant,
            owner,
            tenant === owner ? `of ${tenant}` : null,
          ])
        }),
      )
      const nested = tenants.map((tenant) => post(tenant, `nested/${tenant}`).expect(204))
      await Promise.all([...asks, ...nested])
      for (const tenant of tenants) {
        const own = [1, 5, 6, 7].map((number) => `${tenant} ${number}`)
        expect(await list(tenant)).toEqual([`of ${tenant}`, ...own].sort())
      }
    })

    it('saves no changes of a failed request', async () => {
      await post('acme', 'failed/tea').expect(500)
      expect(await list('acme')).toEqual([])
    })

    it('rolls back only an inner transaction', async () => {
      await post('acme', 'nested/tea').expect(204)
      expect(await list('acme')).toEqual(['tea 1', 'tea 5', 'tea 6', 'tea 7'])
    })

    it('continues after an inner transaction with a refused statement', async () => {
      const { body } = await post('acme', 'again/tea').expect(200)
      expect(body.data).toEqual(['tea'])
      expect(await list('acme')).toEqual(['tea'])
    })

    it('refuses to write for another tenant inside a transaction', async () => {
      await post('acme', 'elsewhere/tea').expect(409)
      expect([await list('acme'), await list('other')]).toEqual([[], []])
    })

    it('stores a string that contains SQL as a value', async () => {
      const item = `'); set role postgres; delete from orders; --`
      await post('acme', encodeURIComponent(item)).expect(201)
      expect(await list('acme')).toEqual([item])
    })

    it('takes part in transactions of the Database outside a request', async () => {
      const [db, orders] = [app.get(Database), app.get(Orders)]
      await db.withTenantTransaction('acme', () => orders.add('tea'))
      const failing = db.withTenantTransaction('acme', async () => {
        await orders.add('rum')
        await orders.transaction((part) => part.add('gin'))
        throw new Error('after the fact')
      })
      await expect(failing).rejects.toThrow('after the fact')
      expect(await list('acme')).toEqual(['tea'])
      await expect(orders.list()).rejects.toMatchObject({ status: 400, code: 'TENANT_REQUIRED' })
      const all = db.withoutTenant('for a test', () => orders.list())
      expect(await all).toEqual(['tea'])
    })

    it('has no leak in the report of proveIsolation()', async () => {
      const report = await app.proveIsolation({ tenants: ['acme', 'globex'], seed: 1 })
      expect(report.leaks).toEqual([])
      const list = report.verdicts.find(({ operation }) => operation === 'GET /orders')
      expect(list?.verdict).toBe('PASS')
    })
  })
}
