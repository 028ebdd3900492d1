// Policies: the type of the object flows, and the actions are those of the rules.
import {
  Auth,
  Checks,
  Controller,
  Get,
  InjectionToken,
  type PolicyUser,
  policy,
  type Request,
  type RequestUser,
} from 'blazon'
import type { Equal, Expect } from '../expect.js'

class Order {
  private constructor(readonly ownerId: number) {}
  static readonly first = new Order(1)
}

interface Row {
  readonly owner: string
}

const OrderPolicy = policy(Order, {
  read: (user, order) => {
    type _User = Expect<Equal<typeof user, PolicyUser>>
    type _Order = Expect<Equal<typeof order, Order>>
    return order.ownerId === user.id
  },
  pay: async (user, order) => user.id === order.ownerId,
})

const ByToken = policy(new InjectionToken<Row>('row'), {
  read: (user, row) => row.owner === user.id,
})
const ByName = policy('row', {
  read: (user, row: Row) => row.owner === user.id,
  write: (user, row: Row) => row.owner === user.id,
})
const Open = policy(
  Order,
  {
    read: (user, order) => {
      type _User = Expect<Equal<typeof user, RequestUser | undefined>>
      return order.ownerId === 1
    },
  },
  { anonymous: true },
)

// @ts-expect-error: a rule returns a boolean
policy(Order, { read: () => 'yes' })
// @ts-expect-error: the object has no such field
policy(Order, { read: (user, order) => order.owner === user.id })

@Auth()
@Checks(Open, 'read')
@Controller('orders')
export class OrdersController {
  @Checks(OrderPolicy, 'read', 'pay')
  @Get(':id')
  async show(req: Request) {
    const order = await OrderPolicy.load(req, 'read', () => Order.first)
    type _Loaded = Expect<Equal<typeof order, Order>>
    const row = await ByName.load(req, 'write', async (): Promise<Row | undefined> => undefined)
    type _Row = Expect<Equal<typeof row, Row>>
    const rows = await ByToken.filter(req, 'read', new Set([row]))
    type _Rows = Expect<Equal<typeof rows, Row[]>>
    const may = req.can('order:read', order)
    type _May = Expect<Equal<typeof may, Promise<boolean>>>
    // @ts-expect-error: the promise is not awaited
    await OrderPolicy.check(req, 'read', Promise.resolve(Order.first))
    // @ts-expect-error: the policy has no such action
    await OrderPolicy.can(req, 'fly', order)
    // @ts-expect-error: a row is not an order
    await OrderPolicy.can(req, 'read', row)
    return order
  }

  // @ts-expect-error: the policy has no such action
  @Checks(OrderPolicy, 'fly')
  // @ts-expect-error: at least one action
  @Checks(OrderPolicy)
  @Get()
  list() {}
}
