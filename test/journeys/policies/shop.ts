import {
  Auth,
  Checks,
  Controller,
  Delete,
  Get,
  type NextFunction,
  NotFoundError,
  Patch,
  Post,
  policy,
  type Request,
  type Response,
} from 'blazon'

export class Order {
  constructor(
    readonly id: string,
    readonly ownerId: string,
    readonly isLocked = false,
  ) {}
}

export const ORDERS = new Map(
  [new Order('1', 'ana'), new Order('2', 'bo'), new Order('3', 'ana', true)].map((each) => [
    each.id,
    each,
  ]),
)

/** How often an order was looked for. */
export const searches = { count: 0 }

function find(id: string): Order | undefined {
  searches.count++
  return ORDERS.get(id)
}

export const OrderPolicy = policy(Order, {
  read: (user, order) => order.ownerId === user.id || user.roles?.includes('clerk') === true,
  pay: async (user, order) => order.ownerId === user.id && !order.isLocked,
  broken: () => {
    throw new NotFoundError('the rule says that there is nothing')
  },
  // Only `true` allows, also where the compiler was told otherwise.
  truthy: () => 'yes' as never,
  later: () => Promise.resolve(1) as never,
})

export const HiddenOrder = OrderPolicy.or404()

@Auth()
@Controller('orders')
export class OrdersController {
  @Checks(OrderPolicy, 'read')
  @Get()
  async list(req: Request) {
    return await OrderPolicy.filter(req, 'read', ORDERS.values())
  }

  @Checks(OrderPolicy, 'read')
  @Get(':id')
  show(req: Request) {
    return OrderPolicy.load(req, 'read', () => find(req.params.id))
  }

  @Checks(HiddenOrder, 'read')
  @Get(':id/hidden')
  async hidden(req: Request) {
    return HiddenOrder.load(req, 'read', async () => find(req.params.id))
  }

  @Checks(HiddenOrder, 'read')
  @Get(':id/found-by-error')
  foundByError(req: Request) {
    return HiddenOrder.load(req, 'read', () => {
      const order = find(req.params.id)
      if (order === undefined) throw new NotFoundError(`No order ${req.params.id}`)
      return order
    })
  }

  /** Who may read gets a 403, all others a 404. */
  @Checks(HiddenOrder, 'read')
  @Checks(OrderPolicy, 'pay')
  @Post(':id/payment')
  async pay(req: Request) {
    const order = await HiddenOrder.load(req, 'read', () => find(req.params.id))
    await OrderPolicy.check(req, 'pay', order)
    return { paid: order.id }
  }

  @Checks(OrderPolicy, 'read')
  @Checks(OrderPolicy, 'pay')
  @Get(':id/links')
  async links(req: Request) {
    const order = await OrderPolicy.load(req, 'read', () => find(req.params.id))
    return { canPay: await req.can('order:pay', order), canFly: await req.can('order:fly', order) }
  }

  @Checks(OrderPolicy, 'broken', 'truthy', 'later')
  @Get(':id/by/:action')
  by(req: Request) {
    return OrderPolicy.load(req, req.params.action, () => find(req.params.id))
  }
}

/** Every way in which a handler may forget its policy. */
@Auth()
@Checks(OrderPolicy, 'read', 'pay')
@Controller('forgetful')
export class ForgetfulController {
  @Get('returned')
  returned() {
    return { secret: 'canary' }
  }

  @Get('nothing')
  nothing() {}

  @Get('promised')
  async promised() {
    return { secret: 'canary' }
  }

  @Get('json')
  json(_req: Request, res: Response) {
    res.json({ secret: 'canary' })
  }

  @Get('later')
  later(_req: Request, res: Response) {
    setImmediate(() => res.json({ secret: 'canary' }))
  }

  @Get('written')
  written(_req: Request, res: Response) {
    res.write('canary')
    res.end()
  }

  @Get('head')
  head(_req: Request, res: Response) {
    res.writeHead(200, { secret: 'canary' })
    res.end()
  }

  @Get('redirect')
  redirect(_req: Request, res: Response) {
    res.redirect('/canary')
  }

  @Get('bytes')
  bytes() {
    return Buffer.from('canary')
  }

  @Get('swallowed')
  async swallowed(req: Request) {
    const search = () => Promise.reject(new Error('the database is gone'))
    await OrderPolicy.load(req, 'read', search).catch(() => {})
    return { secret: 'canary' }
  }

  /** The rule has said no before the response begins, and nobody has listened. */
  @Get('unawaited')
  async unawaited(req: Request) {
    void OrderPolicy.check(req, 'read', new Order('8', 'bo'))
    await new Promise((resolve) => setImmediate(resolve))
    return { secret: 'canary' }
  }

  @Get('caught')
  async caught(req: Request) {
    await OrderPolicy.load(req, 'read', () => new Order('8', 'bo')).catch(() => {})
    return { secret: 'canary' }
  }

  /** The rule cannot decide about a promise. */
  @Get('filtered')
  async filtered(req: Request) {
    const orders = [Promise.resolve(new Order('8', 'ana'))] as never
    await OrderPolicy.filter(req, 'read', orders).catch(() => {})
    return { secret: 'canary' }
  }

  @Get('asked')
  async asked(req: Request) {
    return { can: await OrderPolicy.can(req, 'read', new Order('8', 'bo')) }
  }

  @Get('refused')
  refused() {
    throw new NotFoundError('nothing here')
  }

  @Get('one')
  async one(req: Request) {
    await OrderPolicy.check(req, 'pay', ORDERS.get('1'))
    return { isChecked: true }
  }

  @Get('undeclared')
  undeclared(req: Request) {
    return OrderPolicy.check(req, 'broken', ORDERS.get('1'))
  }

  @Get('unknown')
  async unknown(req: Request) {
    return { can: await req.can('invoice:read', {}) }
  }

  @Patch('promise')
  async promise(req: Request) {
    const forgotten = Promise.resolve(new Order('9', 'ana')) as never
    return { can: await OrderPolicy.can(req, 'read', forgotten) }
  }

  @Delete('callback')
  callback(req: Request, res: Response, next: NextFunction) {
    OrderPolicy.check(req, 'read', ORDERS.get('1')).then(() => res.status(204).end(), next)
  }
}

export const guard = {
  canActivate(req: Request) {
    const id = req.get('authorization')
    if (id === undefined) return false
    req.user = { id, roles: id === 'cleo' ? ['clerk'] : [] }
    return true
  },
}
