// NestJS 12 as its documentation has it, on either of its platforms: the last argument says on which.
import 'reflect-metadata'
import fastifyHelmet from '@fastify/helmet'
import {
  BadRequestException,
  Body,
  type CallHandler,
  type CanActivate,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  HttpCode,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestInterceptor,
  type NestMiddleware,
  type NestModule,
  Param,
  Post,
  SetMetadata,
  UnauthorizedException,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common'
import { APP_GUARD, APP_INTERCEPTOR, NestFactory, Reflector } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { ThrottlerGuard, ThrottlerModule, type ThrottlerStorage } from '@nestjs/throttler'
import helmet from 'helmet'
import { map } from 'rxjs'
import { announce, workload } from '../../candidates/serve.mjs'
import { currentTenant, runAs } from '../../candidates/tenant-context.mjs'
import {
  authenticate,
  envelope,
  findUser,
  HELMET,
  KEEP_ALIVE_SECONDS,
  ORIGIN,
  placeOrder,
  RATE_LIMIT,
  RATE_WINDOW_SECONDS,
  tenantOf,
} from '../../orders.mjs'
import { OrderDto } from './order-dto.mjs'

const platform = process.argv[4]

const Message = (message: string) => SetMetadata('message', message)
const CurrentUser = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getRequest().user,
)

@Injectable()
class EnvelopeInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler) {
    const message = this.reflector.get<string>('message', context.getHandler())
    const { statusCode } = context.switchToHttp().getResponse()
    return next.handle().pipe(map((data) => envelope(statusCode, message, data)))
  }
}

@Injectable()
class AuthGuard implements CanActivate {
  async canActivate(context: ExecutionContext) {
    const request = context.switchToHttp().getRequest()
    request.user = await authenticate(request.headers.authorization)
    if (request.user === undefined) throw new UnauthorizedException()
    return true
  }
}

@Injectable()
class TenantMiddleware implements NestMiddleware {
  use(request: { headers: Record<string, string> }, _response: unknown, next: () => void) {
    const id = tenantOf(request.headers['x-tenant-id'])
    if (id === undefined) throw new BadRequestException('X-Tenant-Id is required')
    runAs(id, next)
  }
}

/**
 * Its own storage keeps the time of every request and walks through all of a window for each new one. For limits of hundreds that is
 * nothing; here one client sends everything, and it would take milliseconds. So it counts, like the stores of the others.
 */
class CountingStorage implements ThrottlerStorage {
  private readonly windows = new Map<string, { hits: number; end: number }>()

  async increment(key: string, ttl: number) {
    const now = Date.now()
    let window = this.windows.get(key)
    if (window === undefined || window.end <= now) {
      window = { hits: 0, end: now + ttl }
      this.windows.set(key, window)
    }
    window.hits++
    const timeToExpire = Math.ceil((window.end - now) / 1000)
    return { totalHits: window.hits, timeToExpire, isBlocked: false, timeToBlockExpire: 0 }
  }
}

@Controller('users')
class UsersController {
  @Get(':id')
  @Message('User found')
  getById(@Param('id') id: string) {
    return findUser(id)
  }
}

@Controller('account')
class AccountController {
  @Get()
  @UseGuards(AuthGuard)
  @Message('User found')
  show(@CurrentUser() user: unknown) {
    return user
  }
}

@Controller('orders')
class OrdersController {
  @Post()
  @HttpCode(201)
  @UseGuards(AuthGuard)
  @Message('Order created')
  create(@Body() order: OrderDto) {
    return placeOrder(order, currentTenant())
  }
}

const enveloped = { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor }

@Module({ controllers: [UsersController], providers: [enveloped] })
class PlainModule {}

@Module({ controllers: [AccountController], providers: [enveloped] })
class GuardedModule {}

@Module({
  imports: [
    ThrottlerModule.forRoot({
      throttlers: [{ ttl: RATE_WINDOW_SECONDS * 1000, limit: RATE_LIMIT }],
      storage: new CountingStorage(),
    }),
  ],
  controllers: [OrdersController],
  providers: [enveloped, { provide: APP_GUARD, useClass: ThrottlerGuard }],
})
class FullModule implements NestModule {
  configure(consumer: MiddlewareConsumer) {
    consumer.apply(TenantMiddleware).forRoutes(OrdersController)
  }
}

const MODULES = {
  plain: PlainModule,
  guarded: GuardedModule,
  full: FullModule,
  middlewares: FullModule,
}

const adapter = platform === 'fastify' ? new FastifyAdapter() : new ExpressAdapter()
const app = await NestFactory.create(MODULES[workload], adapter, { logger: ['error'] })

if (platform === 'express') {
  app.getHttpAdapter().getInstance().disable('x-powered-by').disable('etag')
}
if (workload === 'middlewares') {
  const { tenMiddlewares } = await import('../../middlewares.mjs')
  app.use(...tenMiddlewares())
}
if (workload === 'full' || workload === 'middlewares') {
  if (platform === 'fastify') await app.register(fastifyHelmet, HELMET)
  else app.use(helmet(HELMET))
  app.enableCors({ origin: ORIGIN })
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }))
}

const server = app.getHttpServer()
server.keepAliveTimeout = KEEP_ALIVE_SECONDS * 1000
await app.listen(0, '127.0.0.1')
announce(server.address().port)
