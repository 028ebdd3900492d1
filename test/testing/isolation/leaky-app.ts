import {
  Body,
  Controller,
  Get,
  HttpCode,
  NotFoundError,
  Post,
  type Request,
  requireTenantId,
  Tenant,
} from 'blazon'
import { idOf, Note, Notes, type ShownNote } from './notes.js'

/** An application with four leaks, and with two operations that do not leak. */
export function leakyControllers() {
  const notes = new Notes()
  const cache = new Map<string, ShownNote[]>()
  const flights = new Map<string, Promise<ShownNote[]>>()
  let asking = ''

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

    /** Finds a note by its id, and does not check its owner. */
    @Get(':id')
    async byId(req: Request) {
      const note = await notes.byId(idOf(req))
      if (note === undefined) throw new NotFoundError('There is no such note')
      return note
    }
  }

  @Tenant()
  @Controller('reports')
  class ReportsController {
    /** Keeps the notes of one tenant under a key that all tenants share. */
    @Get('cached')
    async cached(req: Request) {
      const key = req.originalUrl
      const made = cache.get(key) ?? (await notes.of(requireTenantId()))
      cache.set(key, made)
      return made
    }

    /** Keeps the tenant in a variable that the next request overwrites. */
    @Get('asking')
    async asking() {
      asking = requireTenantId()
      await Promise.resolve()
      return await notes.of(asking)
    }

    /** Lets one tenant wait for the notes that are being read for another tenant. */
    @Get('flight')
    flight(req: Request) {
      const key = req.path
      const flight = flights.get(key) ?? notes.of(requireTenantId())
      flights.set(key, flight)
      return flight.finally(() => flights.delete(key))
    }
  }

  return [NotesController, ReportsController]
}
