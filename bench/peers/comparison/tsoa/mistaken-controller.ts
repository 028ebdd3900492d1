import { Controller, Get, Path, Route } from 'tsoa'

@Route('teams')
export class MistakenController extends Controller {
  @Get('{id}')
  public getById(@Path() teamId: string): string {
    return `${teamId} is not in the path`
  }
}
