import '../styles/base.css';
import '../styles/shell.css';
import '../styles/controls.css';
import '../styles/forms.css';
import '../styles/pages.css';
import '../styles/lists.css';
import '../styles/ad.css';
import '../styles/post.css';
import '../styles/review.css';
import { render } from 'preact';
import { startConnection, waiting } from '../data/connection';
import { startFavorites } from '../data/favorites';
import { queryClient } from '../data/query';
import { startSession } from '../data/session';
import { loadSite } from '../data/site';
import { startUnread } from '../data/unread';
import { App } from './app';
import { startRouter } from './router';

startRouter();
startConnection(() => {
  void queryClient.refetchQueries({ predicate: (query) => query.state.fetchFailureCount > 0 });
});
queryClient.getQueryCache().subscribe((event) => {
  if (event.type === 'updated' && event.action.type === 'success') waiting.value = null;
});
startFavorites();
startUnread();
startSession();
loadSite().catch(() => undefined); // What is usual is shown instead.

const root = document.getElementById('app');
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
