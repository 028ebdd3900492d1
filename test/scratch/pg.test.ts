import { Controller, Get, Post, Tenant, inject, runWithTenant, type Request, type Response, BaseController } from 'blazon'
import { Database, postgres, Transactional } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { expect, it, beforeAll, afterAll } from 'vitest'
import pg from 'pg'

const name = `scratch_${process.pid}`
const admin = () => new pg.Client({ host: '127.0.0.1', user: 'root', database: 'postgres' })
beforeAll(async () => {
  let c = admin(); await c.connect()
  await c.query(`create database ${name}`)
  await c.query(`do $$ begin create role app_tenant nologin; exception when duplicate_object then null; end $$`)
  await c.query(`do $$ begin create role app_all_tenants nologin; exception when duplicate_object then null; end $$`)
  await c.end()
  c = new pg.Client({ host: '127.0.0.1', user: 'root', database: name }); await c.connect()
  await c.query(`create table orders (tenant_id text not null default nullif(current_setting('app.tenant_id', true), ''), id bigint generated always as identity, what text, primary key (tenant_id, id), unique (tenant_id, what) deferrable initially deferred);
  alter table orders enable row level security; alter table orders force row level security;
  create policy t on orders to app_tenant using (tenant_id = (select nullif(current_setting('app.tenant_id', true), ''))) with check (tenant_id = (select nullif(current_setting('app.tenant_id', true), '')));
  create policy a on orders to app_all_tenants using (true) with check (true);
  grant select, insert, update, delete on orders to app_tenant, app_all_tenants;`)
  await c.end()
})
afterAll(async () => { const c = admin(); await c.connect(); await c.query(`drop database ${name} with (force)`); await c.end() })

@Tenant() @Controller('orders')
class Orders extends BaseController {
  db = inject(Database)
  @Get() async list(req: Request, res: Response) { return this.ok(res, 'Orders', await this.db.sql`select what, current_user as u from orders order by what`) }
  @Post(':what') async add(req: Request, res: Response) {
    await this.db.sql`insert into orders (what) values (${req.params.what})`
    return this.ok(res, 'Added', null, 201)
  }
  @Post(':what/twice') async twice(req: Request) {
    await this.db.sql`insert into orders (what) values (${req.params.what})`
    await this.db.sql`insert into orders (what) values (${req.params.what})`
    return 'ok'
  }
  @Post(':what/fail') async fail(req: Request) {
    await this.db.sql`insert into orders (what) values (${req.params.what})`
    throw new Error('no')
  }
  @Post(':what/switch') async sw(req: Request) {
    await this.db.sql`insert into orders (what) values (${req.params.what})`
    await runWithTenant('b', () => this.db.sql`select 1`)
  }
  @Get('all') async all() { await this.db.sql`select 1`; return this.db.withoutTenant('count', async () => { return this.db.sql`select count(*) c, current_user u from orders` }) }
  @Get('stream') @Transactional() async stream(req: Request, res: Response) {
    await this.db.sql`insert into orders (what) values ('streamed')`
    res.write('a'); await new Promise<void>(r => res.once('drain', () => r())); res.end('b')
  }
}
const url = `postgres://root@127.0.0.1/${name}`
it('works', async () => {
  const app = await TestApp.create({ controllers: [Orders], plugins: [postgres({ url })], tenant: {}, contract: 'off' })
  const a = app.asTenant('a'), b = app.asTenant('b')
  expect((await a.request().post('/orders/x')).body).toMatchObject({ status: 201 })
  expect((await a.request().get('/orders')).body.data).toEqual([{ what: 'x', u: 'app_tenant' }])
  expect((await b.request().get('/orders')).body.data).toEqual([])
  expect((await a.request().post('/orders/y/fail')).status).toBe(500)
  const t = await a.request().post('/orders/z/twice'); console.log(t.body)
  expect(t.status).toBe(500)
  const s = await a.request().post('/orders/w/switch'); console.log(s.body); expect(s.status).toBe(500)
  const all = await b.request().get('/orders/all'); console.log(JSON.stringify(all.body))
  const st = await b.request().get('/orders/stream'); console.log(st.text)
  expect((await a.request().get('/orders')).body.data).toEqual([{ what: 'x', u: 'app_tenant' }])
  expect((await b.request().get('/orders')).body.data).toEqual([{ what: 'streamed', u: 'app_tenant' }])
  await expect(app.get(Database).sql`select * from orders`).rejects.toThrow(/belong to tenants/)
  expect(await runWithTenant('a', () => app.get(Database).sql`select what from orders`)).toEqual([{ what: 'x' }])
  await app.close()
})
