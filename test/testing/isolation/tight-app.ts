import {
  Body,
  Cache,
  CacheManager,
  Controller,
  Delete,
  Get,
  HttpCode,
  inject,
  NotFoundError,
  Post,
  Put,
  type Request,
  requireTenantId,
  runWithTenant,
  Tenant,
} from 'blazon'
import { idOf, Note, Notes } from './notes.js'

/** The operations of the leaky application, without its leaks. */
export function tightControllers() {
  const notes = new Notes()

  @Tenant()
  @Controller('notes')
  class NotesController {
    @Post()
    @HttpCode(201)
    @Body(Note)
    add(req: Request) {
      return notes.add(requireTenantId(), req.body.text)
    }

    @Get()
    list() {
      return notes.of(requireTenantId())
    }

    @Get(':id')
    async byId(req: Request) {
      return found(await notes.byOwnersId(requireTenantId(), idOf(req)))
    }

    @Put(':id')
    @Body(Note)
    async change(req: Request) {
      return found(await notes.change(requireTenantId(), idOf(req), req.body.text))
    }

    @Delete(':id')
    @HttpCode(204)
    async remove(req: Request) {
      if (!(await notes.remove(requireTenantId(), idOf(req)))) found(undefined)
    }
  }

  @Tenant()
  @Controller('reports')
  class ReportsController {
    private readonly cache = inject(CacheManager)

    @Get('cached')
    @Cache({ ttl: '1m' })
    cached() {
      return notes.of(requireTenantId())
    }

    /** Sets the tenant again, as after a callback that has lost the async context. */
    @Get('asking')
    async asking() {
      const tenant = requireTenantId()
      await Promise.resolve()
      return await runWithTenant(tenant, () => notes.of(requireTenantId()))
    }

    /** Simultaneous requests of one tenant share one load. */
    @Get('flight')
    flight() {
      const own = this.cache.forTenant()
      return own.getOrSet('notes', () => notes.of(requireTenantId()), { ttl: '1m' })
    }
  }

  return [NotesController, ReportsController]
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new NotFoundError('There is no such note')
  return value
}
