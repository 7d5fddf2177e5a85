import { Session } from '../schemas/dashboard.ts'
import { empty, route, sent } from './route.ts'

const path = '/session'
const role = 'self'

/** Sessions of the dashboard: who is signed in, signing in by X-AUTH-TOKEN or X-SIGN-IN-CODE, signing out. */
export const SESSION_ROUTES = {
  getSession: route('get', path, role, { answers: { 200: sent('The signed-in user', Session) } }),
  beginSession: route('post', path, role, { answers: { 201: sent('Signed in', Session) } }),
  endSession: route('delete', path, role, { answers: { 204: empty('Signed out') } }),
}
