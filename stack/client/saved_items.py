"""Views, dashboards and alert rules: items that a tenant saves under names over the REST API."""

from collections.abc import Collection
from typing import Any, Final, Generic, TypeVar

import httpx2
from pydantic import AliasChoices, BaseModel, Field

from kit.errors import NotFound
from stack.client.query_api import json_object, parsed, requested

_SECONDS: Final = 30.0


class ListedItem(BaseModel):
    """The members that every item has in a list."""

    id: str
    name: str


Item = TypeVar("Item", bound=ListedItem)


class Items(BaseModel, Generic[Item]):
    """The API's list of items of one kind."""

    items: list[Item] = Field(validation_alias=AliasChoices("views", "dashboards", "alerts"))


class SavedItems(Generic[Item]):
    """The items of one kind of the key's tenant.

    Every method raises SearchRefused for a problem answer, Unavailable without an answer, and Internal for an answer
    that is not one of the API.
    """

    def __init__(
        self, client: httpx2.Client, path: str, noun: str, listed: type[Items[Item]], given: Collection[str]
    ) -> None:
        """`path` is that of the endpoints, which is also the plural of the command. `given` are the members that a
        request to replace an item contains."""
        self._client = client
        self._path = path
        self._noun = noun
        self._listed = listed
        self._given = given

    def all(self) -> list[Item]:
        """Returns all items in the order of the API."""
        return parsed(self._listed, requested(self._client, "GET", self._path, _SECONDS).content).items

    def stored(self, name: str) -> dict[str, Any] | None:
        """Returns the API's object of the item of that name; None if there is no such item."""
        item = self._find(name)
        return None if item is None else self._object("GET", f"{self._path}/{item.id}")

    def read(self, name: str, route: str = "") -> dict[str, Any]:
        """Returns the API's object of the item of that name, or of a route below it. Raises NotFound."""
        return self._object("GET", self._path_of(name) + route)

    def post(self, name: str, route: str, body: object = None) -> dict[str, Any]:
        """Posts to a route below the item of that name. Returns the answer. Raises NotFound."""
        return self._object("POST", self._path_of(name) + route, body)

    def save(self, name: str, stored: dict[str, Any] | None, members: dict[str, Any]) -> bool:
        """Saves a new item, or changes the given members of the `stored` one. Returns true for a new item.

        Raises SearchRefused also for an item that another client changed meanwhile.
        """
        if stored is None:
            requested(self._client, "POST", self._path, _SECONDS, {"name": name} | members)
            return True
        kept = {member: value for member, value in stored.items() if member in self._given}
        requested(self._client, "PUT", f"{self._path}/{stored['id']}", _SECONDS, kept | members)
        return False

    def delete(self, name: str) -> None:
        """Deletes the item of that name. Raises NotFound."""
        requested(self._client, "DELETE", self._path_of(name), _SECONDS)

    def _find(self, name: str) -> Item | None:
        return next((each for each in self.all() if each.name == name), None)

    def _path_of(self, name: str) -> str:
        if (item := self._find(name)) is None:
            raise NotFound(f"there is no {self._noun} {name!r}; `logsieve {self._path[:-1]} list` shows all")
        return f"{self._path}/{item.id}"

    def _object(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        return json_object(requested(self._client, method, path, _SECONDS, body).content)
