"""JSON models of saved views."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from backend.strict_body import StrictBody
from backend.times import format_time
from backend.views.content import ChartKind, Column, ViewContent
from backend.views.repository import ViewInfo, ViewSummary


class ViewColumn(StrictBody):
    field: str = Field(description="Name of the field as queries write it, up to 256 characters.")
    width: int | None = Field(
        None, description="Width in CSS pixels, 40 to 1200. If null, the column is as wide as its values."
    )


class ViewMembers(StrictBody):
    """All members of a view that users choose."""

    name: str = Field(description="1 to 100 characters. No two views of a tenant have the same name.")
    folder: str = Field("", description="Name of the view's folder, up to 100 characters; empty for none.")
    query: str = Field("", description="Query text, which may end in `| stats …`. Empty text matches every record.")
    start: str = Field(
        "now-1h",
        description="Start of the range, inclusive: `now`, a time before now such as `now-90m` (units s, m, h, d, w), "
        "or RFC 3339.",
    )
    end: str = Field("now", description="End of the range, exclusive, in the form of `start`.")
    order: Literal["asc", "desc"] = Field("desc", description="asc: oldest first; desc: newest first.")
    columns: list[ViewColumn] = Field(
        default_factory=lambda: [ViewColumn(field="service", width=None)],
        description="Columns beside time and level, all with different fields: at most 20, and `body`, which is the "
        "message.",
        fail_fast=True,
    )
    chart_by: str | None = Field(
        None, description="Field by whose values the chart's bars are stacked. If null, they are stacked by severity."
    )
    chart_kind: ChartKind | None = Field(
        None,
        description="Kind of chart that draws the numbers of `| stats`: lines or stacked bars over time, a list with "
        "bars (`top`), a table, or single numbers. If null, the web UI uses the kind that suits the query.",
    )
    is_default: bool = Field(
        False,
        description="True for the tenant's default view, which the web UI opens first. If a view becomes the default "
        "view, the former default view no longer is.",
    )

    def content(self) -> ViewContent:
        return ViewContent(
            name=self.name,
            folder=self.folder,
            query=self.query,
            start=self.start,
            end=self.end,
            order=self.order,
            columns=tuple(Column(each.field, each.width) for each in self.columns),
            chart_by=self.chart_by,
            chart_kind=self.chart_kind,
            is_default=self.is_default,
        )


class ViewChange(ViewMembers):
    """A view that replaces the stored view. Members that are left out get their default values."""

    revision: int = Field(
        description="Revision that is replaced. If the view has another revision, the request is refused."
    )


class View(ViewMembers):
    """A stored view."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    id: str = Field(description="12 hexadecimal digits. `/?view=<id>` opens the view in the web UI.")
    revision: int = Field(description="Number that grows with each change of the view.")
    created_at: str
    created_by: str = Field(description="`key <id>` of the key by which the view was created.")
    changed_at: str
    changed_by: str


class ListedView(BaseModel):
    id: str
    name: str
    folder: str
    is_default: bool
    revision: int


class Views(BaseModel):
    views: list[ListedView] = Field(description="All views of the tenant, by folder and name.")


def view_body(view: ViewInfo) -> View:
    content = view.content
    return View(
        id=view.id,
        name=content.name,
        folder=content.folder,
        query=content.query,
        start=content.start,
        end=content.end,
        order=content.order,
        columns=[ViewColumn(field=each.field, width=each.width) for each in content.columns],
        chart_by=content.chart_by,
        chart_kind=content.chart_kind,
        is_default=content.is_default,
        revision=view.revision,
        created_at=format_time(view.created_at_ns),
        created_by=view.created_by,
        changed_at=format_time(view.changed_at_ns),
        changed_by=view.changed_by,
    )


def listed_view(view: ViewSummary) -> ListedView:
    return ListedView(
        id=view.id, name=view.name, folder=view.folder, is_default=view.is_default, revision=view.revision
    )
