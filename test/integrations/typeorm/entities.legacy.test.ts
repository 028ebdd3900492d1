import { Body, Controller, Get, Inject, Params, Post } from 'blazon'
import { TestApp } from 'blazon/testing'
import { repositoryOf, typeorm } from 'blazon/typeorm'
import {
  Column,
  DataSource,
  Entity,
  ManyToOne,
  OneToMany,
  PrimaryGeneratedColumn,
  type Relation,
  type Repository,
} from 'typeorm'
import { beforeEach, expect, it } from 'vitest'
import { z } from 'zod'

@Entity()
class Customer {
  @PrimaryGeneratedColumn()
  id!: number

  @Column({ type: 'varchar', unique: true })
  email!: string

  @OneToMany(
    () => Order,
    (order) => order.customer,
    { cascade: true },
  )
  orders!: Relation<Order>[]
}

@Entity()
class Order {
  @PrimaryGeneratedColumn()
  id!: number

  @Column({ type: 'integer' })
  cents!: number

  @ManyToOne(
    () => Customer,
    (customer) => customer.orders,
  )
  customer!: Relation<Customer>
}

const NewCustomer = z.object({
  email: z.email(),
  orders: z.array(z.object({ cents: z.int() })).default([]),
})
const CustomerId = z.object({ id: z.coerce.number().int() })

@Controller('customers')
class CustomersController {
  constructor(
    @Inject(repositoryOf(Customer)) private readonly customers: Repository<Customer>,
    @Inject(DataSource) readonly dataSource: DataSource,
  ) {}

  @Get(':id')
  async getById(@Params(CustomerId) { id }: z.infer<typeof CustomerId>) {
    const customer = await this.customers.findOneOrFail({
      where: { id },
      relations: { orders: true },
    })
    return { email: customer.email, cents: customer.orders.map(({ cents }) => cents) }
  }

  @Post()
  async add(@Body(NewCustomer) body: z.infer<typeof NewCustomer>) {
    const { id } = await this.customers.save(body)
    return { id }
  }
}

const options = {
  controllers: [CustomersController],
  plugins: [typeorm({ type: 'sqljs', entities: [Customer, Order], synchronize: true })],
}

let app: TestApp

beforeEach(async () => {
  app = await TestApp.create(options)
  return () => app.close()
})

it('the token of an entity class injects its repository', async () => {
  const ada = { email: 'ada@example.com', orders: [{ cents: 350 }, { cents: 420 }] }
  const added = await app.request().post('/customers').send(ada).expect(200)
  expect(added.body.data).toEqual({ id: 1 })
  const found = await app.request().get('/customers/1').expect(200)
  expect(found.body.data).toEqual({ email: 'ada@example.com', cents: [350, 420] })
  expect(await app.get(repositoryOf(Order)).count()).toBe(2)
})

it('two applications with one entity class have separate databases', async () => {
  await app.request().post('/customers').send({ email: 'ada@example.com' }).expect(200)
  await using other = await TestApp.create(options)
  expect(await other.get(repositoryOf(Customer)).count()).toBe(0)
  expect(await app.get(repositoryOf(Customer)).count()).toBe(1)
})

it('a test override with the token of an entity class replaces its repository', async () => {
  const useValue = { save: async () => ({ id: 42 }) }
  const testOverrides = [{ token: repositoryOf(Customer), useValue }]
  await using other = await TestApp.create({ ...options, testOverrides })
  const { body } = await other.request().post('/customers').send({ email: 'ada@example.com' })
  expect(body.data).toEqual({ id: 42 })
})
